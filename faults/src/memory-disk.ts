import { spawnSync } from 'node:child_process'
import { statfsSync } from 'node:fs'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from '../../server/testing/dealdeck-process.ts'

const isRoot = process.getuid?.() === 0 && process.platform === 'linux'

export type MemoryDisk = { path: string; remount(options: string): Promise<void>; freeBytes(): number }

/** A small disk of memory, such as '20m', in a folder of its own; gone with the test. Only root may mount one. */
export async function mountMemory(size: string): Promise<MemoryDisk> {
  const path = await temporaryFolder()
  mount('-t', 'tmpfs', '-o', `size=${size},mode=0755`, 'dealdeck-faults', path)
  onTestFinished(() => {
    // Lazily, for what still runs on it ends after this.
    spawnSync('umount', ['-l', path])
  })
  return {
    path,
    remount: async (options) => mount('-o', `remount,${options}`, path),
    freeBytes: () => {
      const { bavail, bsize } = statfsSync(path)
      return bavail * bsize
    },
  }
}

/** Whether this machine lets us mount at all: in most containers even root may not. */
export function mayMount(): boolean {
  if (!isRoot) return false
  const { status } = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'dealdeck-faults', '/mnt'])
  return status === 0
}

function mount(...args: string[]): void {
  const { status, stderr } = spawnSync('mount', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`mount ${args.join(' ')}: ${stderr}`)
}
