import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { buildWeb, sources } from './web-build.ts'

const modules = fileURLToPath(new URL('../../../../node_modules', import.meta.url))
const page = '<!doctype html><script type="module" src="/src/main.ts"></script>'

/** A checkout with a web app of one page and one script. */
async function smallCheckout() {
  const root = await mkdtemp(join(tmpdir(), 'dealdeck-web-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  await mkdir(join(root, 'web/src'), { recursive: true })
  await symlink(modules, join(root, 'node_modules'))
  await writeFile(join(root, 'web/package.json'), '{"type":"module"}')
  await writeFile(join(root, 'web/index.html'), page)
  await writeFile(join(root, 'web/src/main.ts'), 'document.title = "one"\n')
  const said: string[] = []
  return {
    root,
    said,
    script: (text: string) => writeFile(join(root, 'web/src/main.ts'), text),
    build: () => buildWeb((line) => said.push(line), new AbortController().signal, root),
    assets: async () => {
      const names = (await readdir(join(root, 'web/dist/assets'))).filter((name) => name.endsWith('.js'))
      return Promise.all(names.map((name) => readFile(join(root, 'web/dist/assets', name), 'utf8')))
    },
  }
}

test('builds what is missing, leaves alone what is current, builds again what is stale', async () => {
  const { build, script, assets, said, root } = await smallCheckout()
  expect(await build()).toBe(true)
  expect(await assets()).toEqual([expect.stringContaining('one')])
  expect(await build()).toBe(false)
  await writeFile(join(root, 'web/src/main.test.ts'), 'a test changes nothing that is served')
  expect(await build()).toBe(false)
  await script('document.title = "two"\n')
  expect(await build()).toBe(true)
  expect(await assets()).toEqual([expect.stringContaining('two')])
  expect(said).toEqual(['Building the web app…', 'Building the web app…'])
})

test.each(['contract', 'marketplace', 'query'])(
  'builds again what the workspace %s makes stale',
  async (name) => {
    const { build, root } = await smallCheckout()
    expect(await build()).toBe(true)
    await mkdir(join(root, name, 'src'), { recursive: true })
    await writeFile(join(root, name, 'src/fresh.ts'), 'export const fresh = true\n')
    expect(await build()).toBe(true)
    expect(await build()).toBe(false)
  },
)

test('whatever the build is configured by is one of its sources', async () => {
  const folder = fileURLToPath(new URL('../../../../web', import.meta.url))
  const modules = (await readdir(folder)).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  expect(modules).toContain('vite.config.ts')
  expect(sources).toEqual(expect.arrayContaining(modules.map((name) => `web/${name}`)))
})

test('two at once build once', async () => {
  const { build, said } = await smallCheckout()
  const built = await Promise.all([build(), build()])
  expect(built.sort()).toEqual([false, true])
  expect(said).toHaveLength(1)
})

test('a build that fails is one line and keeps the last one', async () => {
  const { build, script, assets } = await smallCheckout()
  await build()
  await script('import "./nowhere.ts"\n')
  await expect(build()).rejects.toThrow(
    /^The web app can't be built: .+ \(npm run build -w web shows all of it\)$/,
  )
  expect(await assets()).toEqual([expect.stringContaining('one')])
})

test('large files lie beside their compressed form', async () => {
  const { build, script, root } = await smallCheckout()
  await script(`document.title = ${JSON.stringify('long '.repeat(1000))}\n`)
  await build()
  const folder = join(root, 'web/dist/assets')
  const [name = ''] = (await readdir(folder)).filter((file) => file.endsWith('.js'))
  const plain = await readFile(join(folder, name))
  expect(brotliDecompressSync(await readFile(join(folder, `${name}.br`)))).toEqual(plain)
  expect((await readFile(join(folder, `${name}.gz`))).length).toBeLessThan(plain.length)
})
