import { connect, type Socket } from 'node:net'

// A member who asks for as much as they can, as a process of its own, on plain sockets. It is told whom to ask and for
// what, and answers with what came of it once it is told to stop.

/** Asks with `connections` at once, one request after the other; with `hangUpMs` it leaves after so long, unanswered. */
export type Attack = {
  origin: string
  cookie: string
  connections: number
  kind: 'searches' | 'questions' | 'pages' | 'links' | 'nonsense' | 'sessions' | 'descriptions'
  hangUpMs?: number
}
export type Order = Attack | { stop: true }
/** How many answers of each status, and how many requests were given up. */
export type Outcome = { statuses: Record<string, number>; givenUp: number }

const letters = 'abcdefghijklmnoprstuvwyz'
/** Nearly as many terms as a question may have, each of them a test of every deal. */
const wordsOfQuestion = 31
const sockets = new Set<Socket>()
let outcome: Outcome = { statuses: {}, givenUp: 0 }
let isStopped = true
let turn = 0

process.on('message', (order: Order) => {
  if ('stop' in order) {
    isStopped = true
    for (const socket of sockets) socket.destroy()
    process.send?.(outcome)
    return
  }
  outcome = { statuses: {}, givenUp: 0 }
  isStopped = false
  for (let at = 0; at < order.connections; at++) ask(order)
})
process.on('disconnect', () => process.exit())

const letter = () => letters[Math.floor(Math.random() * letters.length)]

/** Of 31 words, by turns deals with all of them, which are looked for to the end, and with any of them, which are many. */
function question(price: string): string {
  const words = Array.from({ length: wordsOfQuestion }, () => `${letter()}${letter()}`)
  return encodeURIComponent(`(${words.join(turn % 2 === 0 ? ' ' : ' OR ')}) price:>${price}`)
}

/** A request that nobody has made before. */
function requestOf({ origin, cookie, kind }: Attack): string {
  turn += 1
  const head = `host: ${new URL(origin).host}\r\ncookie: ${cookie}\r\n`
  const price = (Math.random() * 1_000).toFixed(2)
  if (kind === 'links') {
    const url = `https://www.amazon.com/s?k=a${Array.from({ length: 560 }, (_, at) => `&a${at}=${turn % 1000}`).join('')}`
    const body = JSON.stringify({ url })
    return `POST /api/links/parse HTTP/1.1\r\n${head}origin: ${origin}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  }
  const paths = {
    searches: `/api/products?limit=1000&sort=discord&search=${letter()}${letter()}&min_price=${price}`,
    questions: `/api/products?limit=1000&sort=discord&q=${question(price)}`,
    pages: `/api/products?limit=1000&sort=discount&min_price=${price}`,
    nonsense: `/api/products?limit=nonsense&min_price=${price}`,
    sessions: '/api/session',
    descriptions: '/api/openapi.json',
  }
  return `GET ${paths[kind]} HTTP/1.1\r\n${head}\r\n`
}

function ask(attack: Attack): void {
  if (isStopped) return
  const { hostname, port } = new URL(attack.origin)
  const socket = connect(Number(port), hostname)
  sockets.add(socket)
  let missing = -1
  const next = () => {
    missing = -1
    socket.write(requestOf(attack))
  }
  socket.on('connect', () => {
    next()
    if (attack.hangUpMs === undefined) return
    setTimeout(() => {
      outcome.givenUp += 1
      socket.destroy()
    }, attack.hangUpMs)
  })
  socket.on('data', (piece) => {
    if (missing < 0) {
      const end = piece.indexOf('\r\n\r\n')
      const head = piece.toString('latin1', 0, end)
      const status = head.slice(9, 12)
      outcome.statuses[status] = (outcome.statuses[status] ?? 0) + 1
      missing = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0) + end + 4
    }
    missing -= piece.length
    if (missing <= 0 && !isStopped) next()
  })
  socket.on('error', () => undefined)
  socket.on('close', () => {
    sockets.delete(socket)
    setTimeout(ask, 1, attack)
  })
}
