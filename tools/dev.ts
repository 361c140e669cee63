import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

// The same application as npm start, for changing it: the server starts again when its sources change, and the web app
// comes from Vite, which exchanges what changes in the open page.
const root = fileURLToPath(new URL('..', import.meta.url))
const port = process.env.PORT || '3000'

const start = (args: string[], folder: string): ChildProcess =>
  spawn(process.execPath, args, {
    cwd: root + folder,
    env: { ...process.env, PORT: port },
    stdio: ['ignore', 'inherit', 'inherit'],
  })

const watched = ['server/src', 'server/migrations', 'contract/src', 'marketplace/src', 'query/src'].map(
  (folder) => `--watch-path=${root}${folder}`,
)
const children = [
  start([...watched, '--watch-preserve-output', 'server/src/main.ts', '--no-web'], ''),
  start(
    [
      fileURLToPath(new URL('bin/vite.js', import.meta.resolve('vite/package.json'))),
      '--clearScreen',
      'false',
    ],
    'web',
  ),
]

// Ctrl-C reaches them from the terminal as well; a second signal does them no harm.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    for (const child of children) child.kill('SIGTERM')
  })
}
await Promise.race(children.map((child) => once(child, 'exit')))
// Either is of little use without the other.
for (const child of children) child.kill('SIGTERM')
