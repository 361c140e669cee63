import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

// The thread of `readSteadily`: it answers with how long each page took, in milliseconds.

export type ReadersData = { url: string; cookies: readonly string[]; ms: number }

const readEveryMs = 1_000
// The cast holds: that is what `readSteadily` passes.
const { url, cookies, ms } = workerData as ReadersData

type Reader = { cookie: string; index: number; agent: Agent }

/** Asks for the first page each second, as a browser that refreshes; half of the readers have filters of their own. */
async function read({ cookie, index, agent }: Reader, until: number): Promise<number[]> {
  const times: number[] = []
  const path = index % 2 === 0 ? '/api/products' : `/api/products?max_price=${10 + index}`
  await sleep((index / cookies.length) * readEveryMs)
  for (let due = performance.now(); due < until; due += readEveryMs) {
    await sleep(Math.max(0, due - performance.now()))
    const start = performance.now()
    await readPage(url + path, cookie, agent)
    times.push(performance.now() - start)
  }
  return times
}

function readPage(address: string, cookie: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const asked = get(address, { agent, headers: { cookie, 'accept-encoding': 'gzip' } }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`A page answered ${response.statusCode}`))
      response.on('error', reject).on('end', resolve).resume()
    })
    asked.on('error', reject)
  })
}

const until = performance.now() + ms
const agent = new Agent({ keepAlive: true, maxSockets: cookies.length })
const reads = await Promise.all(cookies.map((cookie, index) => read({ cookie, index, agent }, until)))
agent.destroy()
parentPort?.postMessage(reads.flat())
