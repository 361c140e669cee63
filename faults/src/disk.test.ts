import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { runCommand, startDealdeck } from '../../server/testing/dealdeck-process.ts'
import { Imports } from './imports.ts'
import { Installation } from './installation.ts'
import { type MemoryDisk, mayMount, mountMemory } from './memory-disk.ts'

/** Takes all room of a disk but so many bytes; returns how to give it back. */
async function fill(disk: MemoryDisk, bytesLeft: number): Promise<() => Promise<void>> {
  const filler = join(disk.path, `filler-${bytesLeft}`)
  await writeFile(filler, Buffer.alloc(Math.max(0, disk.freeBytes() - bytesLeft))).catch(
    (error: NodeJS.ErrnoException) => {
      // A database at work may have taken room meanwhile: where none is to be left that is as full as it gets.
      if (bytesLeft > 0 || error.code !== 'ENOSPC') throw error
    },
  )
  return () => rm(filler)
}

/** An installation with some deals on a disk of its own. */
async function onSmallDisk() {
  const disk = await mountMemory('300m')
  const installation = new Installation(join(disk.path, 'data'), { SAMPLE_DEALS: 'off' })
  await installation.start()
  const client = await installation.administrator()
  const imports = new Imports('D', 9_000)
  expect(await imports.once(client)).toMatchObject({ kind: 'acknowledged' })
  return { disk, installation, client, imports }
}

// A disk has to be mounted for this, which most containers allow nobody; there it is skipped.
test.runIf(mayMount())(
  'a full disk refuses writes in clear words, serves readers, and is over when there is room',
  async () => {
    const { disk, installation, client, imports } = await onSmallDisk()

    // With a whole segment of its log of changes ahead, PostgreSQL itself needs no room while the disk is full.
    await installation.query(
      `select pg_logical_emit_message(true, 'faults',
         repeat('x', (16777216 - mod(pg_current_wal_lsn() - '0/0', 16777216))::int))`,
    )
    const makeRoom = await fill(disk, 1_000_000)
    expect(await imports.once(client)).toEqual({
      kind: 'unknown',
      why: expect.stringMatching(/^503 .*The database has no room left on its disk/),
    })
    expect((await client.get('/api/products')).status).toBe(200)
    expect((await fetch(`${installation.origin}/readyz`)).status).toBe(200)
    const file = join(disk.path, 'backup.gz')
    await fill(disk, 0)
    const backup = await runCommand(['backup', file], installation.environment)
    expect(backup).toMatchObject({ code: 1, output: '' })
    expect(backup.errors).toMatch(/^The backup .*backup\.gz can't be written: ENOSPC[^\n]*\n$/)

    await makeRoom()
    await imports.complete(client)
    expect(await imports.check(installation)).toEqual([])
    expect(installation.process?.errors).toBe('')
    expect(await installation.end()).toBe(0)
  },
)

test.runIf(mayMount())(
  'a disk too full for the database to go on stops it; it comes back by itself when there is room',
  async () => {
    const { disk, installation, client, imports } = await onSmallDisk()
    const makeRoom = await fill(disk, 0)
    // Its log of changes is what PostgreSQL can't do without.
    for (let isUp = true; isUp; )
      isUp = await installation
        .query("select pg_logical_emit_message(false, 'faults', repeat('x', 4000000))")
        .then(
          () => true,
          () => false,
        )
    const outcome = await client.change('POST', '/api/blacklisted_words', { word: 'late' })
    expect(outcome).toMatchObject({ kind: 'unknown', why: expect.stringMatching(/^503 /) })
    expect((await fetch(`${installation.origin}/healthz`)).status).toBe(200)

    // Also a start gives up in clear words, and the next one finds everything.
    await installation.end('SIGKILL')
    const early = startDealdeck(installation.environment)
    expect(await early.ended()).toBe(1)
    expect(early.errors).toMatch(/^[^\n]*(No space left on device|ENOSPC)[^\n]*\n$/)
    await makeRoom()
    await installation.start()
    client.origin = installation.origin
    expect(await imports.check(installation)).toEqual([])

    const makeRoomAgain = await fill(disk, 0)
    for (const server of installation.servers()) process.kill(server, 'SIGKILL')
    await sleep(1_000)
    await makeRoomAgain()
    await installation.isReady()
    expect(await imports.check(installation)).toEqual([])
    expect(await imports.once(client)).toMatchObject({ kind: 'acknowledged' })
  },
)
