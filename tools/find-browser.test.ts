import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { chromium } from '@playwright/test'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { findBrowser } from './find-browser.ts'

let folder = ''

async function program(name: string, exitCode: number): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, `#!/bin/sh\nexit ${exitCode}\n`)
  await chmod(path, 0o755)
  return path
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dealdeck-browser-'))
  vi.stubEnv('PATH', folder)
  vi.stubEnv('CHROMIUM_PATH', '')
})

afterEach(async () => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  await rm(folder, { recursive: true, force: true })
})

test('CHROMIUM_PATH comes first, and is not silently passed over', async () => {
  await program('chromium', 0)
  const own = await program('my-browser', 0)
  vi.stubEnv('CHROMIUM_PATH', own)
  expect(findBrowser()).toBe(own)
  vi.stubEnv('CHROMIUM_PATH', join(folder, 'gone'))
  expect(() => findBrowser()).toThrow("gone, which doesn't run")
})

test('one that does not run is no browser; the next one is taken', async () => {
  await program('chromium', 127)
  const chrome = await program('google-chrome', 0)
  // A machine with Playwright's own Chromium uses that.
  expect([chromium.executablePath(), chrome]).toContain(findBrowser())
})

test('a headless shell is taken first where one will do', async () => {
  await program('chromium', 0)
  const shell = await program('chromium-headless-shell', 0)
  expect(basename(findBrowser({ shellFirst: true }) ?? '')).toMatch(/headless-shell/)
  expect(findBrowser()).not.toBe(shell)
  await program('chromium-headless-shell', 127)
  expect(findBrowser({ shellFirst: true })).not.toBe(shell)
})

test('so is the one that Playwright has downloaded', async () => {
  const folders = { chromium: 'chromium-1234', shell: 'chromium_headless_shell-1234' }
  const own = join(folder, folders.chromium, 'chrome-linux64', 'chrome')
  const directory = join(folder, folders.shell, 'chrome-headless-shell-linux64')
  await mkdir(directory, { recursive: true })
  await program('chromium', 0)
  const shell = await program(
    join(folders.shell, 'chrome-headless-shell-linux64', 'chrome-headless-shell'),
    0,
  )
  vi.spyOn(chromium, 'executablePath').mockReturnValue(own)
  expect(findBrowser({ shellFirst: true })).toBe(shell)
  expect(findBrowser()).toBe(join(folder, 'chromium'))
})
