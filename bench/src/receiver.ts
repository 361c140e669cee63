import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Whoever webhooks are sent to. */
export class Receiver {
  readonly uids: string[] = []
  /** How long it takes to answer, in milliseconds. */
  answerMs = 0
  #next: ((at: number) => void) | undefined
  readonly #server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    this.#next?.(performance.now())
    this.uids.push(JSON.parse(text).uid)
    setTimeout(() => response.end('{"id":"1"}'), this.answerMs)
  })

  static async start(answerMs = 0): Promise<Receiver> {
    const receiver = new Receiver()
    receiver.answerMs = answerMs
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve))
    return receiver
  }

  get url(): string {
    // A server that listens on an address has one.
    const { port } = this.#server.address() as AddressInfo
    return `http://127.0.0.1:${port}`
  }

  /** When the next message arrives, by this process's clock. */
  next(): Promise<number> {
    return new Promise((resolve) => {
      this.#next = resolve
    })
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}
