import { readdirSync, readFileSync } from 'node:fs'

/** The first of some processes. Throws when there is none: a kill of process 0 would be our own end. */
export function firstOf(pids: number[]): number {
  const [pid] = pids
  if (pid === undefined) throw new Error('There is no such process')
  return pid
}

/** The server's processes for one connection each, those at work first. */
export function serverProcesses(parent: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0)
    .map((pid) => ({ pid, status: read(`/proc/${pid}/status`), command: read(`/proc/${pid}/cmdline`) }))
    .filter(
      ({ status, command }) => status.includes(`PPid:\t${parent}\n`) && /dealdeck dealdeck/.test(command),
    )
    .sort((a, b) => Number(/idle/.test(a.command)) - Number(/idle/.test(b.command)))
    .map(({ pid }) => pid)
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Kills a process. False where it was gone already. */
export function isKilled(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch {
    return false
  }
}
