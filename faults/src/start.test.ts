import { writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { startDealdeck, temporaryFolder } from '../../server/testing/dealdeck-process.ts'
import { mayMount, mountMemory } from './memory-disk.ts'

/** One line, and no more. */
const oneLine = /^[^\n]+\n$/

test('a DATA_DIR below a file is one line', async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'file'), '')
  const dealdeck = startDealdeck({ DATA_DIR: join(folder, 'file', 'data') })
  expect(await dealdeck.ended()).toBe(1)
  expect(dealdeck.errors).toMatch(/^The folder .*\/file\/data can't be made: .*ENOTDIR[^\n]*\n$/)
})

// Root may write wherever a file system lets anybody: only one that is read-only stops it.
test.runIf(mayMount())('a DATA_DIR on a read-only disk is one line', async () => {
  const folder = await mountMemory('1m')
  await folder.remount('ro')
  const dealdeck = startDealdeck({ DATA_DIR: folder.path })
  expect(await dealdeck.ended()).toBe(1)
  expect(dealdeck.errors).toMatch(oneLine)
  expect(dealdeck.errors).toMatch(/^The folder .* can't be used: .*(EROFS|readonly|read-only)/)
})

test.runIf(mayMount())('a disk too small for the database is one line and leaves room again', async () => {
  const disk = await mountMemory('20m')
  const dealdeck = startDealdeck({ DATA_DIR: disk.path })
  expect(await dealdeck.ended()).toBe(1)
  expect(dealdeck.errors).toMatch(oneLine)
  expect(dealdeck.errors).toMatch(/No space left on device/)
  expect(disk.freeBytes()).toBeGreaterThan(18_000_000)
})

async function listen(onConnection: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    onConnection(socket)
  })
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A listening TCP server always has an address object.
  return (server.address() as AddressInfo).port
}

const strangers: [string, (socket: Socket) => void][] = [
  ['speaks another language', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ['says nothing', () => {}],
  ['hangs up', (socket) => socket.destroy()],
]

test('a DATABASE_URL of something that is no PostgreSQL is one line in bounded time', async () => {
  const starts = strangers.map(async ([how, behave]) => {
    const reached = Promise.withResolvers<void>()
    const port = await listen((socket) => {
      reached.resolve()
      behave(socket)
    })
    const dealdeck = startDealdeck({ DATABASE_URL: `postgres://ann:secret@127.0.0.1:${port}/deals` })
    // Until then it is only starting, which takes as long as the machine is busy.
    const late = reached.promise.then(() => sleep(30_000)).then(() => 'waits for ever')
    expect(await Promise.race([dealdeck.ended(), late]), how).toBe(1)
    expect(dealdeck.errors, how).toMatch(oneLine)
    expect(dealdeck.errors, how).toContain(`The database at 127.0.0.1:${port}/deals can't be reached: `)
    expect(dealdeck.errors, how).not.toContain('secret')
  })
  await Promise.all(starts)
})
