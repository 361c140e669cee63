import { connect, type Socket } from 'node:net'

// A member who asks for as much as they can, as a process of its own, on plain sockets. It is told whom to ask and for
// what, and answers with what came of it once it is told to stop.

/** Asks with `connections` at once, one request after the other; with `hangUpMs` it leaves after so long, unanswered. */
export type Attack = {
  origin: string
  cookie: string
  connections: number
  kind: keyof typeof requests
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

type Asked = { path: string; body?: object }
const price = () => (Math.random() * 1_000).toFixed(2)
const times = <T>(count: number, of: (at: number) => T) => Array.from({ length: count }, (_, at) => of(at))

/** Requests that nobody has made before. */
const requests = {
  searches: () => ({
    path: `/api/products?limit=1000&sort=discord&search=${letter()}${letter()}&min_price=${price()}`,
  }),
  questions: () => ({ path: `/api/products?limit=1000&sort=discord&q=${question(price())}` }),
  pages: () => ({ path: `/api/products?limit=1000&sort=discount&min_price=${price()}` }),
  nonsense: () => ({ path: `/api/products?limit=nonsense&min_price=${price()}` }),
  sessions: () => ({ path: '/api/session' }),
  descriptions: () => ({ path: '/api/openapi.json' }),
  forbidden: () => ({ path: '/api/users' }),
  links: () => ({
    path: '/api/links/parse',
    body: { url: `https://www.amazon.com/s?k=a${times(560, (at) => `&a${at}=${turn % 1000}`).join('')}` },
  }),
  /** Of each of these names it is looked which one may be meant. */
  explanations: () => ({
    path: '/api/query/explain',
    body: { q: times(60, () => `pri${letter()}:${letter()}`).join(' ') },
  }),
  /** As much as a body may hold, and nothing of it right. */
  mistakes: () => ({
    path: '/api/links',
    body: {
      filters: { brands: times(9_999, () => 1), deals: times(9_999, () => 1) },
      unrecognised: times(10_000, () => 1),
    },
  }),
} satisfies Record<string, () => Asked>

function requestOf({ origin, cookie, kind }: Attack): string {
  turn += 1
  const { path, body }: Asked = requests[kind]()
  const head = `host: ${new URL(origin).host}\r\ncookie: ${cookie}\r\n`
  if (!body) return `GET ${path} HTTP/1.1\r\n${head}\r\n`
  const text = JSON.stringify(body)
  return `POST ${path} HTTP/1.1\r\n${head}origin: ${origin}\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`
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
