/** What a request to an address that somebody typed may take. */
export type FetchLimits = {
  /** Bytes of the answer as sent, and as unpacked. */
  packedBytes: number
  bytes: number
  /** How long the other side may keep us waiting until its last byte, in milliseconds; 30,000 unless given. */
  totalMs?: number
}

export type SafeRequest = {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  headers?: Record<string, string>
  /** Headers with credentials: they go to the first origin only. */
  secretHeaders?: Record<string, string>
  body?: string | Uint8Array
  limits: FetchLimits
  /** Redirects that are followed, each checked anew; 3 for GET, none for others unless given. */
  redirects?: number
  /** Nothing but public addresses, whatever FETCH_ALLOW names; false unless given. */
  publicOnly?: boolean
  signal?: AbortSignal | undefined
  /** Is waited for before a redirect is followed to `to`, with what `from` has answered; what it throws ends the request. */
  beforeRedirect?(to: URL, from: Pick<SafeResponse, 'status' | 'headers' | 'isPublic'>): Promise<void>
}

export type SafeResponse = {
  status: number
  headers: Headers
  /** Where it came from in the end. */
  url: string
  /** Whether anybody on the internet could have asked it; otherwise no text that is shown may repeat what it says. */
  isPublic: boolean
  /** The address that all redirects say is the new one for good; undefined where none does. */
  movedTo: string | undefined
  /** Unpacked, within the limits; throws a FetchError beyond them. Must be read or cancelled. */
  body: AsyncIterable<Uint8Array>
  /** Leaves the rest unread. */
  cancel(): void
}

/** Why a request was not made, or came to no answer. */
export type FetchFailure =
  | 'address' // Not http or https, with a user in it, or otherwise none that is asked.
  | 'private' // The address, or one that its name leads to, is not public.
  | 'name' // No such host.
  | 'connection'
  | 'certificate'
  | 'redirects'
  | 'time'
  | 'size'
  | 'packing'

/** Its message says what to do and holds nothing that the other side has sent. */
export class FetchError extends Error {
  readonly failure: FetchFailure
  /** Whether a connection stood, so that the other side may have got the request. */
  readonly mayHaveArrived: boolean

  constructor(
    failure: FetchFailure,
    message: string,
    { mayHaveArrived = false, ...options }: { cause?: unknown; mayHaveArrived?: boolean } = {},
  ) {
    super(message, options)
    this.name = 'FetchError'
    this.failure = failure
    this.mayHaveArrived = mayHaveArrived
  }
}

/** Asks an address that somebody typed. Throws a FetchError; any status is an answer. */
export type SafeFetch = (url: string, request: SafeRequest) => Promise<SafeResponse>
