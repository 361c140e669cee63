import { marketplaceByDomain } from '@dealdeck/marketplace/marketplaces'
import type { RunContext, SourceDocument } from '../src/features/sources/kinds/source-kind.ts'

/** A document that a kind has handed over, read to its end: its rows where it has rows, otherwise its text. */
type HandedDocument = Omit<SourceDocument, 'body'> & { rows: object[]; text: string }

/** What a kind is asked with in a test: it asks real servers, and what it hands over is kept instead of imported. */
export type TestContext = RunContext & {
  handed: HandedDocument[]
  positions: unknown[]
}

export function runContext(given: Partial<RunContext> = {}): TestContext {
  const marketplace = given.marketplace ?? marketplaceByDomain('amazon.com')
  if (!marketplace) throw new Error('There is no such marketplace')
  const handed: HandedDocument[] = []
  const positions: unknown[] = []
  return {
    ...{ marketplace, handed, positions, secrets: {}, position: null, isTry: false, confirms: true },
    clock: () => new Date(),
    signal: new AbortController().signal,
    ask: async (url, { method = 'GET', headers = {}, secretHeaders = {}, body, signal }) => {
      const response = await fetch(url, {
        ...{ method, headers: { ...headers, ...secretHeaders } },
        ...(body !== undefined && { body }),
        ...(signal && { signal }),
      })
      const bytes = new Uint8Array(await response.arrayBuffer())
      return {
        ...{
          status: response.status,
          headers: response.headers,
          url: response.url,
          movedTo: undefined,
          isPublic: true,
        },
        body: piecesOf([bytes]),
        cancel: () => {},
      }
    },
    hand: async ({ body, ...document }) => {
      const rows: object[] = []
      const texts: string[] = []
      const decoder = new TextDecoder()
      for await (const piece of body) {
        if (piece instanceof Uint8Array) texts.push(decoder.decode(piece, { stream: true }))
        else rows.push(piece)
      }
      handed.push({ ...document, rows, text: texts.join('') })
      const count = { created: rows.length, updated: 0, unchanged: 0, rejected: 0, held: 0 }
      return { received: rows.length, ...count }
    },
    savePosition: async (position) => {
      positions.push(position)
    },
    budget: () => ({ take: async () => ({ granted: true }), settle: async () => {} }),
    token: async (_, renew) => (await renew()).token,
    ...given,
  }
}

async function* piecesOf(pieces: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces
}
