import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const usage = `Usage: npm run test:faults -- [--short] [--only NAME[,NAME…]] [--soak DURATION] [--deals COUNT]
       [--previous FOLDER] [-- OPTION…]

Kills, starves and confuses real installations, and looks whether anything got lost.
  --short  a little of everything, as npm test does it (some ten minutes); otherwise half an hour and more
  --only   kill-application, kill-database, disk, start, versions, clock, bodies, slow-clients, hostile-requests,
           stream, stream-abuse, fairness, unfair-imports, backup, pooler,
           failover, taken-back, restored, rolling-restart, neighbouring-versions, deliveries, soak
  --soak   how long the mixed load lasts: 90s, 60m, 1h (60s; 10s in the short form)
  --deals  how many deals there are where one member is unfair to others (500000; 4000 in the short form)
  --previous  a checkout of the release before with its packages installed, for neighbouring-versions
  --       what follows a second -- goes to Vitest`

const { values, positionals } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string' },
    soak: { type: 'string' },
    deals: { type: 'string' },
    previous: { type: 'string' },
    help: { type: 'boolean' },
  },
  allowPositionals: true,
})

/** Milliseconds of '90s', '60m' or '1h'; undefined for anything else. */
function milliseconds(duration: string): number | undefined {
  const [, count, unit] = /^(\d+)([smh])$/.exec(duration) ?? []
  if (count === undefined) return undefined
  return Number(count) * (unit === 'h' ? 3_600_000 : unit === 'm' ? 60_000 : 1_000)
}

const soakMs = milliseconds(values.soak ?? (values.short ? '10s' : '60s'))
const deals = values.deals ?? (values.short ? '4000' : '500000')
if (values.help || soakMs === undefined || !/^[1-9]\d*$/.test(deals)) {
  console.log(usage)
  process.exit(values.help ? 0 : 2)
}

const vitest = fileURLToPath(new URL('vitest.mjs', import.meta.resolve('vitest/package.json')))
const config = fileURLToPath(new URL('../vitest.config.ts', import.meta.url))
const files = values.only?.split(',').map((name) => `faults/src/${name}.test.ts`) ?? []
const child = spawn(process.execPath, [vitest, 'run', '--config', config, ...files, ...positionals], {
  cwd: fileURLToPath(new URL('../..', import.meta.url)),
  env: {
    ...process.env,
    FAULTS_EXTENT: values.short ? 'short' : 'full',
    FAULTS_SOAK_MS: String(soakMs),
    FAULTS_DEALS: deals,
    FAULTS_PREVIOUS: values.previous === undefined ? '' : resolve(values.previous),
  },
  stdio: 'inherit',
})
// Vitest gets them from the terminal as well, and then cleans up.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
const [code] = await once(child, 'exit')
process.exitCode = code ?? 1
