import { type ChildProcess, spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { endWithUs, stop } from './processes.ts'

/** A way in: the requests that come to its address go to the first `servers` processes. */
type Entrance = { servers: number; url: string }

/** HAProxy before several processes; `entrances` has one for each number of processes asked for. */
export type Balancer = {
  entrances: Entrance[]
  /** Waits until the balancer sends requests to the process with that index, or no more. */
  waitFor(index: number, state: 'UP' | 'DOWN'): Promise<void>
  stop(): Promise<void>
}

const patienceMs = 20_000

/** Starts HAProxy with its configuration in `folder`. Throws one line that says what to install where there is none. */
export async function startBalancer(folder: string, ports: number[], counts: number[]): Promise<Balancer> {
  const [page, ...doors] = await freePorts(1 + counts.length)
  const entrances = counts.map((servers, index) => ({ servers, url: `http://127.0.0.1:${doors[index]}` }))
  const file = join(folder, 'haproxy.cfg')
  await writeFile(file, configuration(ports, entrances, `127.0.0.1:${page}`))
  const { child, said } = await run(file)
  const waitFor = async (index: number, state: 'UP' | 'DOWN') => {
    const until = performance.now() + patienceMs
    // The widest entrance knows every process.
    const name = `by_${Math.max(...counts)},app${index},`
    while (performance.now() < until) {
      if (child.exitCode !== null) throw new Error(`haproxy ended: ${said.join('')}`)
      const answer = await fetch(`http://127.0.0.1:${page}/;csv`).catch(() => undefined)
      const line = (await answer?.text())?.split('\n').find((one) => one.startsWith(name))
      // The 18th column is the status; 'UP 1/2' is one on its way down.
      if (line?.split(',')[17] === state) return
      await sleep(50)
    }
    throw new Error(`The balancer did not find process ${index} ${state}: ${said.join('')}`)
  }
  return { entrances, waitFor, stop: () => stop(child) }
}

async function run(file: string): Promise<{ child: ChildProcess; said: string[] }> {
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'pipe', 'pipe'] })
  const said: string[] = []
  endWithUs(child)
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk.toString()))
  child.stdout.resume()
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', () =>
      reject(new Error('There is no haproxy: install it, on Debian with apt install haproxy')),
    )
  })
  return { child, said }
}

/**
 * What any balancer needs to drop nothing while processes come and go: look at /healthz often; try another process when
 * one can't be reached, and for requests that change nothing also when it hangs up without an answer.
 */
function configuration(ports: number[], entrances: Entrance[], page: string): string {
  return `global
  maxconn 4000

defaults
  mode http
  balance leastconn
  option forwardfor
  option redispatch 1
  option http-keep-alive
  retries 3
  retry-on conn-failure empty-response 503
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  timeout check 1s
  option httpchk GET /healthz
  default-server check inter 250ms fall 1 rise 1

frontend page
  bind ${page}
  stats enable
  stats uri /
${entrances.map((entrance) => section(ports, entrance)).join('')}`
}

const section = (ports: number[], { servers, url }: Entrance) => `
listen by_${servers}
  bind ${new URL(url).host}
  http-request disable-l7-retry unless METH_GET
${ports
  .slice(0, servers)
  .map((port, index) => `  server app${index} 127.0.0.1:${port}\n`)
  .join('')}`

/** Ports nobody listens on just now. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer())
  const ports: number[] = []
  for (const server of servers) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    if (typeof address === 'object' && address) ports.push(address.port)
  }
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}
