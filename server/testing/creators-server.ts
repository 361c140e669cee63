import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { whenDone } from './cleanup.ts'
import { listening } from './listening.ts'

type JsonObject = Record<string, unknown>
type Answered = { status: number; body: string | object; headers?: Record<string, string> }

export type CreatorsServer = {
  base: string
  tokenUrls: Record<'2.1' | '2.2' | '2.3' | '3.1' | '3.2' | '3.3', string>
  items: JsonObject[]
  /** The tokens that it takes; a lent one is added. */
  tokens: Set<string>
  lent: number
  /** What it was asked, in order. */
  asked: Array<{ path: string; headers: IncomingMessage['headers']; body: JsonObject }>
  /** Answers to questions about items instead of the usual ones, one for each. */
  answers: Array<Answered | null>
  /** An answer to all requests for a token, instead of a token. */
  tokenAnswer: Answered | null
}

const pageItems = 10
export const creatorsCredential = { id: 'credential-of-a-test', secret: 'secret-of-a-test' }

/**
 * An imitation of the Creators API and of both services that lend its tokens, made from their documents and public clients, never compared
 * with the real ones: pages of ten items, errors for items it doesn't know beside the others, tokens that it takes.
 */
export async function creatorsServer(): Promise<CreatorsServer> {
  const state: Omit<CreatorsServer, 'base' | 'tokenUrls'> = {
    ...{ items: [], tokens: new Set<string>(), lent: 0, asked: [], answers: [], tokenAnswer: null },
  }
  const server = createServer(async (request, response) => {
    const path = request.url ?? '/'
    const body = await bodyOf(request)
    state.asked.push({ path, headers: request.headers, body })
    const version = /^\/token\/([\d.]+)$/.exec(path)?.[1]
    if (version) return send(response, state.tokenAnswer ?? lend(state, version, request, body))
    send(response, state.answers.shift() ?? answerOf(state, path, request, body))
  })
  whenDone(async () => {
    server.close()
    server.closeAllConnections()
  })
  const base = await listening(server)
  const url = (version: string) => `${base}/token/${version}`
  const tokenUrls = {
    ...{ '2.1': url('2.1'), '2.2': url('2.2'), '2.3': url('2.3') },
    ...{ '3.1': url('3.1'), '3.2': url('3.2'), '3.3': url('3.3') },
  }
  return Object.assign(state, { base, tokenUrls })
}

type State = Pick<CreatorsServer, 'items' | 'tokens' | 'lent'>

function lend(state: State, version: string, request: IncomingMessage, body: JsonObject): Answered {
  const isForm = version.startsWith('2.')
  const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json'
  const isRight =
    request.headers['content-type'] === type &&
    body.grant_type === 'client_credentials' &&
    body.client_id === creatorsCredential.id &&
    body.client_secret === creatorsCredential.secret &&
    body.scope === (isForm ? 'creatorsapi/default' : 'creatorsapi::default')
  if (!isRight) return { status: 400, body: { error: 'invalid_client' } }
  state.lent += 1
  const token = `token-${version}-${state.lent}`
  state.tokens.add(token)
  return { status: 200, body: { access_token: token, expires_in: 3600, token_type: 'bearer' } }
}

function answerOf(state: State, path: string, request: IncomingMessage, body: JsonObject): Answered {
  const [, token, version] =
    /^Bearer (\S+?)(?:, Version (\S+))?$/.exec(request.headers.authorization ?? '') ?? []
  if (!token || !state.tokens.has(token) || (token.startsWith('token-2') && !version))
    return {
      status: 401,
      body: { type: 'UnauthorizedException', reason: 'TokenExpired', message: 'expired' },
    }
  const invalid = (name: string) => ({
    ...{
      status: 400,
      body: { type: 'ValidationException', reason: 'FieldValidationFailed', message: 'is wrong' },
    },
    ...{ fieldList: [{ name }] },
  })
  if (!request.headers['x-marketplace']?.toString().startsWith('www.')) return invalid('x-marketplace')
  if (typeof body.partnerTag !== 'string' || body.partnerTag === '') return invalid('partnerTag')
  if (path === '/catalog/v1/searchItems') {
    const page = Number(body.itemPage)
    if (!(page >= 1 && page <= 10) || Number(body.itemCount) > pageItems) return invalid('itemPage')
    const items = state.items.slice((page - 1) * pageItems, page * pageItems)
    if (items.length === 0)
      return { status: 404, body: { type: 'ResourceNotFoundException', message: 'none' } }
    return { status: 200, body: { searchResult: { items, totalResultCount: state.items.length } } }
  }
  const ids: unknown[] = Array.isArray(body.itemIds) ? body.itemIds : []
  if (path !== '/catalog/v1/getItems' || ids.length > pageItems) return invalid('itemIds')
  const items = state.items.filter(({ asin }) => ids.includes(asin))
  const errors = ids
    .filter((id) => !items.some(({ asin }) => asin === id))
    .map((id) => ({ reason: 'ItemNotAccessible', message: `The item ${id} is not accessible.` }))
  return { status: 200, body: { itemsResult: { items }, ...(errors.length > 0 && { errors }) } }
}

function send(response: ServerResponse, { status, body, headers = {} }: Answered): void {
  const isText = typeof body === 'string'
  response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json', ...headers })
  response.end(isText ? body : JSON.stringify(body))
}

async function bodyOf(request: IncomingMessage): Promise<JsonObject> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(Buffer.from(piece))
  const text = Buffer.concat(pieces).toString()
  return text.startsWith('{') ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text))
}

/** An item as the interface answers it; `listing` is of its only offer. */
export function creatorsItem(asin: string, amount: number, listing: JsonObject = {}, more: JsonObject = {}) {
  return {
    asin,
    detailPageURL: `https://www.amazon.com/dp/${asin}?tag=a-tag&linkCode=osi`,
    images: {
      primary: { large: { url: 'https://m.media-amazon.com/images/I/71abcDEF-gL.jpg', width: 500 } },
    },
    itemInfo: {
      title: { displayValue: `Folding lantern ${asin}`, label: 'Title', locale: 'en_US' },
      byLineInfo: { brand: { displayValue: 'Acme', label: 'Brand' } },
    },
    offersV2: {
      listings: [
        {
          availability: { type: 'IN_STOCK', minOrderQuantity: 1 },
          ...{ condition: { value: 'New' }, isBuyBoxWinner: true, violatesMAP: false },
          price: { money: { amount, currency: 'USD', displayAmount: `$${amount}` } },
          ...listing,
        },
      ],
    },
    ...more,
  }
}
