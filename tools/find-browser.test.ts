import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
