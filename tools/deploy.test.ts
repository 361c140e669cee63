import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readSettings } from '../server/src/platform/settings.ts'

// What of deploy/ would go wrong unseen when something else in the repository changes. The proxies' files run in
// server/src/proxies.process.test.ts, the alarms in server/src/platform/observing/metrics.process.test.ts.
const root = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string) => readFileSync(root + path, 'utf8')
const manifest = JSON.parse(read('package.json'))
const settings = Object.keys(readSettings({}))
/** Whoever runs an installation may write nothing of it, and so keeps no compiled code in it either. */
const installed = (script: string) => script.replace(/ NODE_COMPILE_CACHE=\S+/, '')
const [, startEnvironment, startArguments] =
  /^exec env (.*?) node (.*)$/.exec(installed(manifest.scripts.start)) ?? []

/** The instructions of a Dockerfile: continued lines joined, comments left out. */
const instructions = read('deploy/Dockerfile')
  .replace(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => /^[A-Z]/.test(line))
const stages = instructions.flatMap((line) => / AS (\w+)$/.exec(line)?.[1] ?? [])
const allowed = read('deploy/Dockerfile.dockerignore')
  .split('\n')
  .filter((line) => line.startsWith('!'))
  .map((line) => line.slice(1))

describe('the Dockerfile', () => {
  const copied = instructions.flatMap((line) => {
    const [, from, list = ''] = /^COPY (?:--from=(\S+) )?(.*)$/.exec(line) ?? []
    return list === '' ? [] : [{ from, sources: list.split(' ').slice(0, -1) }]
  })

  test('copies only what is there and gets past the ignore file', () => {
    const sources = copied.filter(({ from }) => from === undefined).flatMap((copy) => copy.sources)
    expect(sources.length).toBeGreaterThan(10)
    for (const source of sources) {
      expect([source, existsSync(root + source)]).toEqual([source, true])
      const passes = allowed.some((path) => source === path || source.startsWith(`${path}/`))
      expect([source, passes]).toEqual([source, true])
    }
    for (const { from } of copied) if (from) expect(stages).toContain(from)
  })

  test('knows every workspace, without which npm ci refuses', () => {
    for (const workspace of manifest.workspaces)
      expect(instructions).toContain(`COPY ${workspace}/package.json ${workspace}/`)
  })

  test('has the Node that is tested, no rights, and starts as npm start does', () => {
    const major = String(manifest.devDependencies.node).split('.')[0]
    expect(instructions).toContain(`ARG NODE_IMAGE=node:${major}-bookworm-slim`)
    const last = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM ')))
    expect(last.filter((line) => line.startsWith('USER '))).toEqual(['USER node'])
    expect(last.findIndex((line) => line.startsWith('COPY '))).toBeLessThan(last.indexOf('USER node'))
    const command = JSON.parse(last.at(-1)?.replace(/^CMD /, '') ?? '[]').join(' ')
    expect(command).toBe(`node ${startArguments} --no-web`)
    expect(instructions).toContain(`ENV ${startEnvironment}`)
    expect(instructions.filter((line) => /^ADD |--privileged|curl|sudo/.test(line))).toEqual([])
  })
})

describe('the compose file', () => {
  // Merge keys are not part of YAML 1.2, but compose knows them.
  const { services } = parse(read('deploy/compose.yaml'), { merge: true })

  test('passes every setting on to the processes and the commands', () => {
    // The image says where it listens, and keeps nothing; samples are for the embedded database alone.
    const own = ['HOST', 'PORT', 'DATA_DIR', 'SAMPLE_DEALS']
    for (const { environment } of [services.dealdeck, services.command]) {
      expect(Object.keys(environment).sort()).toEqual(settings.filter((name) => !own.includes(name)).sort())
      for (const [name, value] of Object.entries(environment)) expect(value).toMatch(`\${${name}:`)
    }
  })

  test('one process serves, and another one with the same settings does the work in the background', () => {
    const { WORKERS: serves, ...common } = services.dealdeck.environment
    expect(serves).toBe(`\${WORKERS:-off}`)
    expect(services.worker.environment).toEqual({ ...common, WORKERS: 'on', SEARCH_INDEX: 'off' })
    const { WORKERS, SEARCH_INDEX } = services.worker.environment
    expect(readSettings({ WORKERS, SEARCH_INDEX })).toMatchObject({ WORKERS: 'on', SEARCH_INDEX: 'off' })
  })

  test('one service builds the image of all: at once, several would be in each other’s way', () => {
    expect(Object.keys(services).filter((name) => services[name].build)).toEqual(['dealdeck'])
    for (const { image } of Object.values<{ image: string }>(services)) expect(image).toBe('dealdeck:local')
  })

  test.each([
    ['dealdeck', `127.0.0.1:\${PORTS:-3000}:3000`],
    ['worker', `127.0.0.1:\${WORKER_PORT:-3900}:3000`],
  ])('%s is reached from the host only, keeps nothing, and has time to end', (name, port) => {
    expect(services[name]).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      restart: 'unless-stopped',
      ports: [port],
      volumes: [`\${FILES:-/srv/dealdeck}:/files:ro`],
    })
    const longestDrain = readSettings({ DRAIN_SECONDS: '300' }).DRAIN_SECONDS
    expect(Number.parseInt(services[name].stop_grace_period, 10)).toBeGreaterThan(longestDrain + 5)
    expect(read('deploy/dealdeck@.service')).toContain(`TimeoutStopSec=${longestDrain + 10}\n`)
  })

  test('a command is started by hand, and may write to the folder of files', () => {
    expect(services.command).toMatchObject({
      profiles: ['command'],
      entrypoint: installed(manifest.scripts.cli)
        .replace(/^exec /, '')
        .split(' '),
      volumes: [`\${FILES:-/srv/dealdeck}:/files`],
      read_only: true,
    })
    expect(services.command).not.toHaveProperty('ports')
    expect(services.command).not.toHaveProperty('restart')
  })
})

test.each(['dealdeck@.service', 'dealdeck-backup.service'])('%s sets only what is a setting', (file) => {
  const given = [...read(`deploy/${file}`).matchAll(/^Environment=(.*)$/gm)].flatMap(([, list = '']) =>
    list.split(' ').map((pair) => pair.split('=')[0]),
  )
  expect(given.length).toBeGreaterThan(1)
  for (const name of given.filter((each) => !each?.startsWith('MALLOC_')))
    expect([...settings, 'NODE_ENV', 'KEEP']).toContain(name)
})

test('the unit has what is set for one process after what is set for all, and there needn’t be any', () => {
  const files = [...read('deploy/dealdeck@.service').matchAll(/^EnvironmentFile=(.*)$/gm)]
  expect(files.map(([, file]) => file)).toEqual(['/etc/dealdeck/settings', '-/etc/dealdeck/settings-%i'])
})

test('the unit starts as npm start does, may not gain rights, and waits for the end', () => {
  const unit = read('deploy/dealdeck@.service').split('\n')
  expect(unit).toContain(`ExecStart=/opt/dealdeck/node_modules/.bin/node ${startArguments}`)
  expect(unit).toContain(`Environment=${startEnvironment}`)
  for (const line of [
    'NoNewPrivileges=yes',
    'ProtectSystem=strict',
    'CapabilityBoundingSet=',
    'KillMode=mixed',
  ])
    expect(unit).toContain(line)
  expect(unit).not.toContain('MemoryDenyWriteExecute=yes')
})
