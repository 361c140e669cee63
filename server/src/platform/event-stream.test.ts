import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { EventStreams, serialiseEvent } from './event-stream.ts'

/** Streams over HTTP; `arrive` decides what happens to each response that asks for one. */
async function serve(arrive: (response: ServerResponse) => void): Promise<() => Promise<Response>> {
  const server = createServer((_request, response) => arrive(response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  // A listening TCP server has an address and a port; the type also covers pipes.
  const { port } = server.address() as AddressInfo
  return () => fetch(`http://127.0.0.1:${port}/`)
}

const readerOf = (response: ServerResponse) => ({ response, sessionKey: 'a', userId: 1, position: 3 })

test('the end reaches those who still catch up, and nothing is written to them after it', async () => {
  const streams = new EventStreams()
  const readers: ReturnType<typeof readerOf>[] = []
  const ask = await serve((response) => {
    const reader = readerOf(response)
    readers.push(reader)
    streams.open(reader, [])
  })
  const answer = await ask()
  expect(streams.figures).toEqual({ open: 1, opened: 1, dropped: 0 })
  streams.close()
  // What its catching up had found meanwhile; a write after the end would be an error nobody hears.
  for (const reader of readers) {
    expect(streams.send(reader, serialiseEvent(4, 'deals', {}))).toBe(false)
    streams.add(reader)
  }
  expect(await answer.text()).toBe('retry: 2000\nid: 3\n\n')
  expect([streams.readers.size, streams.figures.open]).toEqual([0, 0])
})

test('a stream that is opened after the end ends at once', async () => {
  const streams = new EventStreams()
  const ask = await serve((response) => streams.open(readerOf(response), []))
  streams.close()
  expect(await (await ask()).text()).toBe('retry: 2000\nid: 3\n\n')
  expect(streams.figures).toEqual({ open: 0, opened: 1, dropped: 0 })
})
