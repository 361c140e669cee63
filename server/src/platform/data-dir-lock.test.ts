import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { folderHolder, folderTaken, lockFolder } from './data-dir-lock.ts'

const module = new URL('./data-dir-lock.ts', import.meta.url).href

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dealdeck-lock-'))
})
afterEach(async () => {
  await chmod(folder, 0o700)
  await rm(folder, { recursive: true, force: true })
})

/** A process of its own that takes the folder, starts a long child of its own and stays. */
async function otherProcess() {
  const script = `
    const { lockFolder } = await import(${JSON.stringify(module)})
    const lock = await lockFolder(${JSON.stringify(folder)}, 'application')
    const { spawn } = await import('node:child_process')
    const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })
    console.log(lock ? 'held ' + child.pid : 'refused')
    // Nobody refers to the lock any more: collecting garbage must not give the folder back.
    setTimeout(gc, 1)
    setTimeout(() => {}, 60_000)`
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [said] = await once(child.stdout, 'data')
  return { child, said: String(said).trim() }
}

test('one holder at a time, free again after release', async () => {
  const first = await lockFolder(folder, 'application')
  expect(first).not.toBeNull()
  expect(await lockFolder(folder, 'application')).toBeNull()
  first?.release()
  const second = await lockFolder(folder, 'command')
  expect(second).not.toBeNull()
  second?.release()
  second?.release()
})

test('another process is refused while the holder lives, and not by the children of a killed one', async () => {
  const { child, said } = await otherProcess()
  const [word, grandchild] = said.split(' ')
  expect(word).toBe('held')
  await setTimeout(300)
  expect(await lockFolder(folder, 'application')).toBeNull()
  expect(folderHolder(folder)).toEqual({ pid: child.pid, kind: 'application' })
  expect(folderTaken(folder).message).toBe(
    `Another Dealdeck (process ${child.pid}) already uses ${folder}. Stop it, or set DATA_DIR to another folder.`,
  )

  child.kill('SIGKILL')
  await once(child, 'exit')
  const mine = await lockFolder(folder, 'application')
  process.kill(Number(grandchild))
  expect(mine).not.toBeNull()
  mine?.release()
})

test('says who when a command holds the folder', async () => {
  const lock = await lockFolder(folder, 'command')
  expect(folderTaken(folder).message).toContain(`A Dealdeck command (process ${process.pid}) already uses`)
  lock?.release()
})

test('a folder that cannot be made is one clear line', async () => {
  const below = join(import.meta.filename, 'data')
  await expect(lockFolder(below, 'application')).rejects.toThrow(`The folder ${below} can't be made: ENOTDIR`)
})

test('taking the folder prints nothing', () => {
  const script = `const { lockFolder } = await import(${JSON.stringify(module)}); (await lockFolder(${JSON.stringify(folder)}, 'command'))?.release()`
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  })
  expect({ stdout, stderr, status }).toEqual({ stdout: '', stderr: '', status: 0 })
})
