import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { readFirstLoad } from './web-size.ts'

const folder = mkdtempSync(join(tmpdir(), 'dealdeck-size-'))
const dist = `${folder}/`
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const feed = 'src/app/feed.tsx'

async function build(files: Record<string, unknown>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(dist + name), { recursive: true })
    await writeFile(dist + name, typeof content === 'string' ? content : JSON.stringify(content))
  }
}

test('counts the page and the feed with all they import, and nothing else', async () => {
  await build({
    'index.html':
      '<script src="/before-paint.js"></script><script type="module" src="/assets/index.js"></script>',
    'before-paint.js': '1',
    'assets/index.js': '2',
    'assets/index.css': '3',
    'assets/feed.js': '4',
    'assets/card.js': '5',
    'assets/card.css': '6',
    'assets/deep.js': '7',
    'assets/other.js': '9',
    '.vite/manifest.json': {
      'index.html': {
        file: 'assets/index.js',
        css: ['assets/index.css'],
        dynamicImports: [feed, 'other.tsx'],
      },
      [feed]: { file: 'assets/feed.js', imports: ['_card.js', 'index.html'] },
      '_card.js': { file: 'assets/card.js', css: ['assets/card.css'], imports: ['_deep.js'] },
      '_deep.js': { file: 'assets/deep.js' },
      'other.tsx': { file: 'assets/other.js' },
    },
  })
  const { script, stylesheet, files } = readFirstLoad(dist)
  const oneByte = 21
  expect(Object.keys(files).sort()).toEqual([
    'assets/card.css',
    'assets/card.js',
    'assets/deep.js',
    'assets/feed.js',
    'assets/index.css',
    'assets/index.js',
    'before-paint.js',
  ])
  expect({ script, stylesheet }).toEqual({ script: 5 * oneByte, stylesheet: 2 * oneByte })
})

test('a build without the feed under its known name is no build of nothing', async () => {
  await build({
    'index.html': '',
    '.vite/manifest.json': { 'index.html': { file: 'assets/index.js' } },
    'assets/index.js': '2',
  })
  expect(() => readFirstLoad(dist)).toThrow('The build has no src/app/feed.tsx')
})

test('says what to do when nothing is built', () => {
  expect(() => readFirstLoad(dist)).toThrow('npm run build')
})
