import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin, type ResolvedConfig } from 'vite'

const source = 'src/app/prerendered-shells.tsx'

/**
 * Has the program itself draw what a page shows before the program has come, and keeps it beside the manifest, where
 * the server finds it: the login screen, and what stands in each screen's place.
 */
export function prerenderedShells(): Plugin {
  let config: ResolvedConfig
  return {
    name: 'prerendered-shells',
    apply: (_config, { command, isSsrBuild }) => command === 'build' && !isSsrBuild,
    configResolved(resolved) {
      config = resolved
    },
    async writeBundle({ dir = '' }) {
      // Within the checkout, where the libraries it imports are found.
      const cache = join(config.root, '.cache')
      await mkdir(cache, { recursive: true })
      const folder = await mkdtemp(join(cache, 'prerendered-shells-'))
      try {
        await build({
          root: config.root,
          logLevel: 'error',
          build: { ssr: source, outDir: folder, emptyOutDir: true, copyPublicDir: false },
        })
        const { prerenderShells } = await import(pathToFileURL(join(folder, 'prerendered-shells.js')).href)
        await writeFile(join(dir, '.vite/prerendered-shells.json'), JSON.stringify(prerenderShells()))
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
  }
}
