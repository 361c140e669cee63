import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const deploy = fileURLToPath(new URL('../../deploy/', import.meta.url))

export type ProxyPorts = { http: number; https: number }
type Place = ProxyPorts & { folder: string; app: number }
type Proxy = ProxyPorts & { logged(): Promise<string> }
type Kind = {
  program: string
  file: string
  adapt(text: string, place: Place): string
  args(file: string): string[]
}

/** How each proxy runs with its file of deploy/, of which nothing is changed but addresses and paths. */
export const proxies: Record<string, Kind> = {
  nginx: {
    program: 'nginx',
    file: 'nginx.conf',
    adapt: (text, { folder, app, http, https }) => `
      daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
      ${process.getuid?.() === 0 ? 'user root;' : ''}
      events {}
      http {
        client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxied;
        fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
        ${text
          .replaceAll('127.0.0.1:3000', `127.0.0.1:${app}`)
          // This machine may have no IPv6.
          .replaceAll(/listen \[::\].*;/g, '')
          .replace('listen 80', `listen 127.0.0.1:${http}`)
          .replace('listen 443', `listen 127.0.0.1:${https}`)
          .replace('/etc/ssl/dealdeck/fullchain.pem', `${folder}/cert.pem`)
          .replace('/etc/ssl/dealdeck/privkey.pem', `${folder}/key.pem`)
          .replace('/var/log/nginx', folder)}
      }`,
    args: (file) => ['-c', file],
  },
  haproxy: {
    program: 'haproxy',
    file: 'haproxy.cfg',
    adapt: (text, { folder, app, http, https }) =>
      text
        .replaceAll('127.0.0.1:3000', `127.0.0.1:${app}`)
        .replace('bind :::80 v4v6', `bind 127.0.0.1:${http}`)
        .replace('bind :::443 v4v6', `bind 127.0.0.1:${https}`)
        .replace('/etc/ssl/dealdeck', folder)
        .replace('log /dev/log', 'log stdout format raw'),
    args: (file) => ['-db', '-f', file],
  },
  caddy: {
    program: 'caddy',
    file: 'Caddyfile',
    adapt: (text, { folder, app, http, https }) =>
      `{\n admin off\n http_port ${http}\n https_port ${https}\n storage file_system ${folder}/caddy\n}\n${text
        .replaceAll('127.0.0.1:3000', `127.0.0.1:${app}`)
        .replace('deals.example.com {', `$& \n bind 127.0.0.1\n tls ${folder}/cert.pem ${folder}/key.pem`)}`,
    args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
  },
}

/** Whether a proxy, and what makes its certificate, are on this machine. */
export function isInstalled({ program }: Kind): boolean {
  return [program, 'openssl'].every((name) => !spawnSync(name, ['version']).error)
}

/** Starts a proxy of deploy/ before an application of this machine, with a certificate of its own; ended with the test. What it logs can be read. */
export async function startProxy(kind: Kind, app: number): Promise<Proxy> {
  const folder = await mkdtemp(join(tmpdir(), 'dealdeck-proxy-'))
  await chmod(folder, 0o755)
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
    ...['-subj', '/CN=deals.example.com', '-addext', 'subjectAltName=DNS:deals.example.com'],
    ...['-keyout', key, '-out', cert],
  ])
  await writeFile(join(folder, 'both.pem'), (await readFile(cert, 'utf8')) + (await readFile(key, 'utf8')))
  const place = { folder, app, http: await freePort(), https: await freePort() }
  const file = join(folder, kind.file)
  await writeFile(file, kind.adapt(await readFile(deploy + kind.file, 'utf8'), place))
  const child = spawn(kind.program, kind.args(file), {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  })
  let said = ''
  for (const output of [child.stdout, child.stderr])
    output.on('data', (chunk) => {
      said += chunk
    })
  const ended = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true, force: true })
  })
  while (!(await answers(place.https))) if (child.exitCode !== null) throw new Error(`It ended: ${said}`)
  const logged = async () => said + (await readFile(join(folder, 'dealdeck.log'), 'utf8').catch(() => ''))
  return { ...place, logged }
}

/** A port nobody uses at the moment. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  // A listening TCP server has an address and a port; the type also covers pipes.
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}

async function answers(port: number): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}/`, { redirect: 'manual' }).catch(
    (error: Error & { cause?: { code?: string } }) => error,
  )
  // Whatever it says to plain text on its port for TLS, it listens.
  return !(answer instanceof Error) || answer.cause?.code !== 'ECONNREFUSED'
}
