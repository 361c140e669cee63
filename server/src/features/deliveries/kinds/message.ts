/** A deal as a message tells of it: texts as people read them, without what its source doesn't let leave the site. */
export type MessageDeal = {
  id: number
  asin: string
  /** In one line. Of a deal whose title may not leave the site it is the shop's number. */
  title: string
  /** The page of the deal here; null where nobody knows the address of this installation (no PUBLIC_URL). */
  pageUrl: string | null
  /** The page of the shop, with the destination's affiliate tag. */
  shopUrl: string
  /** At an address that anybody can load; null without one. */
  imageUrl: string | null
  /** Such as `$12.99`; null where prices may not leave the site. Amounts are those of the shop's currency. */
  price: string | null
  amount: number | null
  /** What the shop says it was before; null unless it is above the price. */
  originalPrice: string | null
  /** Percent off of that. */
  off: number | null
  /** The price that was told of before in this message, where it is another one. */
  priceBefore: string | null
  /** What its price is worth, in a sentence; null while that isn't known. */
  verdict: string | null
  /** Its prices of 90 days as one line of block characters; null without a history. */
  sparkline: string | null
  /** `4.6 of 5, 1,203 reviews`; null where nothing is known. */
  rating: string | null
  isPrime: boolean
  /** When the price was last seen. */
  observedAt: Date
  endsAt: Date | null
}

/** `ended`: its offer is over. `gone`: it isn't shown here any more, so nothing of it is said but that. */
export type DealState = 'live' | 'ended' | 'gone'

type Common = {
  /** The same each time the message is sent, by which receivers know it. */
  uid: string
  /** The member's or the group's searches that found it, by name. */
  searches: readonly string[]
  /** Beside each link with an affiliate tag; '' without. */
  disclosure: string
  /** Opens what the member set up here; null without PUBLIC_URL. */
  settingsUrl: string | null
  /** Whether it should make a sound; none of a message that is changed ever does. */
  isSilent: boolean
}

/** What is said, whatever it is sent by. Each kind of destinations renders it in its own way. */
export type Message = Common &
  (
    | { kind: 'deal'; state: DealState; deal: MessageDeal; isTest: boolean; isUrgent: boolean }
    | {
        kind: 'list'
        /** Such as `7 deals while you had quiet hours`. */
        title: string
        deals: readonly { deal: MessageDeal; state: DealState; searches: readonly string[] }[]
        /** Deals beside those that are named. */
        more: number
        isDigest: boolean
        /** The page that shows them all; null without PUBLIC_URL. */
        pageUrl: string | null
      }
    | { kind: 'notice'; title: string; text: string }
  )

export type DealMessage = Extract<Message, { kind: 'deal' }>
export type ListMessage = Extract<Message, { kind: 'list' }>
