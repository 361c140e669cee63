import { connect, type Socket } from 'node:net'
import { clock } from './clock.ts'

// Opens event streams as a process of its own, on plain sockets: a client library for ten thousand of them would be
// measured along with the application. It takes commands as messages and answers each with one.

/** `open` so many in all, one with each cookie in turn; or tell when the next event `deals` has reached all of them. */
export type Order = { open: number; url: string; cookies: string[] } | { watch: true }
/** Times are milliseconds since 1970. */
export type Answer =
  | { opened: number }
  | { watching: true }
  | { informed: number; first: number; last: number; middle: number }
  | { failed: string }

const atOnce = 100
const mark = 'event: deals\n'
const patienceMs = 30_000

type Stream = { socket: Socket; tail: string; isInformed: boolean }

const streams: Stream[] = []
let times: number[] = []
let isWatching = false
let deadline: NodeJS.Timeout | undefined

const answer = (message: Answer) => void process.send?.(message)
const fail = (error: unknown) => answer({ failed: error instanceof Error ? error.message : String(error) })

process.on('message', (order: Order) => {
  if ('watch' in order) watch()
  else open(order).catch(fail)
})
process.on('disconnect', () => process.exit())

async function open({ open: count, url, cookies }: Extract<Order, { open: number }>): Promise<void> {
  let next = streams.length
  const opener = async () => {
    while (next < count) {
      const cookie = cookies[next++ % cookies.length] ?? ''
      streams.push(await openStream(new URL(url), cookie))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, opener))
  answer({ opened: streams.length })
}

/** Resolves once the application has sent the stream's first bytes. */
function openStream({ hostname, port, host }: URL, cookie: string): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    const stream: Stream = { socket, tail: '', isInformed: false }
    socket.setNoDelay(true)
    socket.on('connect', () =>
      socket.write(`GET /api/products/events HTTP/1.1\r\nhost: ${host}\r\ncookie: ${cookie}\r\n\r\n`),
    )
    socket.on('error', reject)
    socket.on('close', () => fail('The application closed a stream'))
    socket.on('data', (piece) => {
      const text = stream.tail + piece.toString('latin1')
      stream.tail = text.slice(-mark.length)
      if (text.includes(mark)) hear(stream)
      if (text.includes('\nretry: ')) resolve(stream)
      else if (/^HTTP\/1.1 (?!200)/.test(text)) reject(new Error(`A stream answered ${text.slice(0, 200)}`))
    })
  })
}

function watch(): void {
  times = []
  isWatching = true
  for (const stream of streams) Object.assign(stream, { tail: '', isInformed: false })
  deadline = setTimeout(tell, patienceMs)
  answer({ watching: true })
}

function hear(stream: Stream): void {
  if (stream.isInformed || !isWatching) return
  stream.isInformed = true
  times.push(clock())
  if (times.length === streams.length) tell()
}

function tell(): void {
  clearTimeout(deadline)
  isWatching = false
  const first = times[0] ?? Number.NaN
  const last = times.at(-1) ?? Number.NaN
  answer({ informed: times.length, first, last, middle: times[times.length >> 1] ?? Number.NaN })
}
