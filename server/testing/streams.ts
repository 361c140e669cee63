import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { DealsEvent } from '@dealdeck/contract/deals'
import { feedEventsPath } from '@dealdeck/contract/events'
import { onTestFinished } from 'vitest'
import { type DealWrites, withDealWrites } from '../src/features/deals/actions.ts'
import { readRevision } from '../src/features/deals/following/revisions.ts'
import { noState, recordedIds, recordedState, recording } from '../src/features/deals/writing/recording.ts'
import { writeStamp } from '../src/platform/database/epoch.ts'
import type { SignedIn, TestApp } from './app.ts'

/** `id` is the revision alone, `stamp` what the stream calls it. */
type Message = { id: number; stamp: string; event: string; data: DealsEvent }

/** Starts listening; returns the port. */
export async function listening(testApp: TestApp): Promise<number> {
  await testApp.app.listen({ port: 0, host: '127.0.0.1' })
  // Listening on TCP, so the address is this shape and not a pipe's name.
  return (testApp.app.server.address() as AddressInfo).port
}

/** Opens the live stream and keeps what it says. Throws when the answer is none, and is over with the test. */
export async function openStream(
  port: number,
  who: SignedIn,
  lastEventId?: string,
  path: string = feedEventsPath,
) {
  const resume = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
  const call = httpRequest({
    port,
    host: '127.0.0.1',
    path,
    headers: { ...who.headers, ...resume },
  })
  call.end()
  const [response]: IncomingMessage[] = await once(call, 'response')
  if (response?.statusCode !== 200) throw new Error(`answered ${response?.statusCode}`)
  const close = () => void call.destroy()
  const messages: Message[] = []
  const state = { path, messages, text: '', ended: false, response, close }
  response.setEncoding('utf8')
  response.on('data', (chunk: string) => {
    state.text += chunk
    state.messages = state.text.split('\n\n').flatMap((block) => {
      const fields = Object.fromEntries(
        block.split('\n').map((line) => [line.split(': ')[0], line.slice(line.indexOf(': ') + 2)]),
      )
      // What other features tell on the same stream is theirs to test.
      return fields.data && !['filters', 'me'].includes(String(fields.event))
        ? [
            {
              id: Number(fields.id?.split('-').at(-1)),
              stamp: String(fields.id),
              event: String(fields.event),
              data: JSON.parse(fields.data),
            },
          ]
        : []
    })
  })
  response.on('close', () => {
    state.ended = true
  })
  response.on('error', () => undefined)
  onTestFinished(() => state.close())
  return state
}

/** The id of an event, as the database's streams call it now. */
export async function stampOf({ databases }: TestApp, revision: number): Promise<string> {
  return writeStamp({ ...(await readRevision(databases.customPlanPool)), revision })
}

/** Records that deals became visible, without touching any. */
export async function recordAdded({ client, recorded }: DealWrites, ...ids: number[]): Promise<void> {
  const state = {
    is_visible: 'true',
    price: '1',
    original_price: 'null::numeric',
    availability: "'In stock'",
  }
  const { rows } = await client.query<{ recorded: number[] }>(
    `with changed as (
       select deal_id, ${noState('old')}, ${recordedState('new', (field) => state[field])} from unnest($1::bigint[]) as deal_id
     ), ${recording()} select ${recordedIds}`,
    [ids],
  )
  for (const row of rows) recorded.push(...row.recorded)
}

/** Commits one change of the feed without touching a deal. */
export const publish = ({ databases }: Pick<TestApp, 'databases'>, id: number) =>
  withDealWrites(databases, (writes) => recordAdded(writes, id))
