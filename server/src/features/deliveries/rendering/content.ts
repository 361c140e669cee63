/** What a message says, or said last, as it is stored with it. */
export type DeliveryContent = {
  /** Of a notice; `about` is the destination that it is about. */
  title?: string
  text?: string
  about?: number
  /** The amount of a single deal, and the one that the message told of before. */
  price?: number | null
  before?: number | null
  /** The deals as they were told of. */
  deals?: { id: number; state: string; price: number | null }[]
  /** What the receiver has, shortened to a hash: the same isn't sent twice. */
  said?: string
}
