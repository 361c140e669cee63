import { type ClientRequest, get } from 'node:http'

const retryMs = 200

/** Reads the stream of events as a browser does: when it ends, again from the last event's number on. */
export class EventReader {
  /** The numbers of the events `deals`, in the order they came. */
  readonly revisions: number[] = []
  /** How often the stream had to be opened again. */
  reopened = 0
  /** How often the application had to say that events are lost. */
  resets = 0
  readonly opened: Promise<void>
  readonly #address: string
  readonly #cookie: string
  #lastId = ''
  #request: ClientRequest | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false
  #tellOpened: (() => void) | undefined

  constructor(origin: string, cookie: string) {
    this.#address = `${origin}/api/products/events`
    this.#cookie = cookie
    this.opened = new Promise((resolve) => {
      this.#tellOpened = resolve
    })
    this.#open()
  }

  /** Whether every revision from the first seen to the last has come exactly once, and in order. */
  isWhole(): boolean {
    const [first = 0] = this.revisions
    return this.resets === 0 && this.revisions.every((revision, index) => revision === first + index)
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#request?.destroy()
  }

  #open(): void {
    const headers = {
      cookie: this.#cookie,
      ...(this.#lastId === '' ? {} : { 'last-event-id': this.#lastId }),
    }
    // No agent: a stream has its connection to itself.
    const request = get(this.#address, { headers, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (piece: string) => {
        const blocks = (text + piece).split('\n\n')
        text = blocks.pop() ?? ''
        if (response.statusCode === 200) for (const block of blocks) this.#take(block)
      })
      response.on('error', () => {})
    })
    this.#request = request
    // Ends however the stream does, once.
    request.on('error', () => {})
    request.on('close', () => {
      if (this.#isClosed) return
      this.reopened += 1
      this.#timer = setTimeout(() => this.#open(), retryMs)
    })
  }

  #take(block: string): void {
    const [, id, revision] = /^id: (\w+-(\d+))$/m.exec(block) ?? []
    if (id === undefined) return
    this.#lastId = id
    this.#tellOpened?.()
    if (/^event: deals$/m.test(block)) this.revisions.push(Number(revision))
    if (/^event: reset$/m.test(block)) this.resets += 1
  }
}
