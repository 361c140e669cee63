import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A connection whose every byte is in our hands. */
export class RawConnection {
  readonly socket: Socket
  received = ''
  readonly #begin = performance.now()
  readonly #closed: Promise<number>

  constructor(origin: string) {
    const { hostname, port } = new URL(origin)
    this.socket = connect(Number(port), hostname)
    this.socket.setEncoding('latin1')
    this.socket.on('data', (text: string) => {
      // Only the beginning of an answer matters; a stream may have no end.
      if (this.received.length < 10_000) this.received += text
    })
    this.socket.on('error', () => {})
    this.#closed = new Promise((resolve) => {
      this.socket.on('close', () => resolve(performance.now() - this.#begin))
    })
    onTestFinished(() => void this.socket.destroy())
  }

  /** Seconds from the beginning to the end of the connection; `patience` if it is still open then. */
  async secondsOpen(patience: number): Promise<number> {
    const late = new Promise<number>((resolve) =>
      setTimeout(resolve, patience * 1_000, Number.POSITIVE_INFINITY).unref(),
    )
    return (await Promise.race([this.#closed, late])) / 1_000
  }

  /** Sends a text, a piece every so many milliseconds, until the other side has enough. */
  async drip(pieces: Iterable<string>, everyMs: number): Promise<void> {
    for (const piece of pieces) {
      if (!this.socket.writable) return
      this.socket.write(piece)
      await new Promise((resolve) => setTimeout(resolve, everyMs))
    }
  }

  /** Sends pieces as fast as they are taken; returns how many bytes went out before the other side had enough. */
  async pour(pieces: Iterable<Buffer>): Promise<number> {
    let sent = 0
    for (const piece of pieces) {
      if (!this.socket.writable) break
      sent += piece.length
      if (!this.socket.write(piece))
        await Promise.race([once(this.socket, 'drain').catch(() => {}), this.#closed])
    }
    return sent
  }

  /** The status of the answer, once its first line is there; 0 when the connection ends without. */
  async status(): Promise<number> {
    while (!this.received.includes('\r\n') && !this.socket.destroyed)
      await Promise.race([once(this.socket, 'data').catch(() => {}), this.#closed])
    return Number(/^HTTP\/1\.1 (\d{3})/.exec(this.received)?.[1] ?? 0)
  }
}

/** The head of a request. */
export function head(request: string, headers: Record<string, string | number>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return `${[`${request} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`
}
