import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { z } from 'zod'

// What is installed is what the lock file names, byte for byte, and none of it runs a script nobody looked at.
const read = (name: string): unknown =>
  JSON.parse(readFileSync(fileURLToPath(new URL(`../${name}`, import.meta.url)), 'utf8'))

const lock = z
  .object({
    lockfileVersion: z.literal(3),
    packages: z.record(
      z.string(),
      z.object({
        version: z.string().optional(),
        resolved: z.string().optional(),
        link: z.boolean().optional(),
        integrity: z.string().optional(),
        hasInstallScript: z.boolean().optional(),
        dependencies: z.record(z.string(), z.string()).optional(),
        devDependencies: z.record(z.string(), z.string()).optional(),
      }),
    ),
  })
  .parse(read('package-lock.json'))
const manifest = z
  .object({ allowScripts: z.record(z.string(), z.boolean()), workspaces: z.array(z.string()) })
  .parse(read('package.json'))

const installed = Object.entries(lock.packages).filter(
  ([path, entry]) => path.includes('node_modules/') && !entry.link,
)
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

test('install scripts are allowed by name: those of the lock file, and no other', () => {
  const withScripts = installed.filter(([, entry]) => entry.hasInstallScript).map(([path]) => nameOf(path))
  expect(Object.keys(manifest.allowScripts).sort()).toEqual([...new Set(withScripts)].sort())
  expect(Object.values(manifest.allowScripts).every(Boolean)).toBe(true)
})

test('every package has the hash of its content in the lock file', () => {
  const without = installed.filter(
    ([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''),
  )
  // The linter for systems other than the one the lock file was written on: tools of development, optional, and npm
  // takes their hashes over as soon as the lock file is written where the registry offers them.
  expect(without.map(([path]) => nameOf(path)).sort()).toEqual([
    '@biomejs/cli-android-arm64',
    '@biomejs/cli-android-x64',
    '@biomejs/cli-darwin-arm64',
    '@biomejs/cli-darwin-x64',
    '@biomejs/cli-linux-arm64-musl',
    '@biomejs/cli-linux-x64-musl',
    '@biomejs/cli-win32-arm64',
    '@biomejs/cli-win32-x64',
  ])
})

test('packages come from the registry only, direct ones at exact versions', () => {
  const elsewhere = installed.filter(
    ([, { resolved = '' }]) => resolved !== '' && !/^https:\/\/registry\.npmjs\.org\//.test(resolved),
  )
  expect(elsewhere).toEqual([])
  const own = Object.entries(lock.packages).filter(([path]) => !path.includes('node_modules/'))
  expect(own.map(([path]) => path).sort()).toEqual(['', ...manifest.workspaces].sort())
  const loose = own.flatMap(([, { dependencies, devDependencies }]) =>
    Object.entries({ ...dependencies, ...devDependencies }).filter(
      // A star means what another workspace names exactly, or a workspace itself.
      ([, version]) => version !== '*' && !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version),
    ),
  )
  expect(loose).toEqual([])
})
