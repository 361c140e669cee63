/** What came of a request: the server said yes, or no, or nobody knows whether it happened. */
export type Outcome =
  | { kind: 'acknowledged'; body: unknown }
  | { kind: 'refused'; status: number; body: unknown }
  | { kind: 'unknown'; why: string }

export type Account = { username: string; password: string }

/** Whatever happens to the server, a request is over by then, in milliseconds. */
const patienceMs = 60_000

/** Somebody signed in, at whatever address the application has just now. */
export class Client {
  origin: string
  cookie = ''

  constructor(origin: string) {
    this.origin = origin
  }

  /** Signs in; throws when that is refused. */
  async signIn(account: Account): Promise<this> {
    const response = await this.request('POST', '/api/session', JSON.stringify(account), 'application/json')
    if (!response.ok) throw new Error(`Signing in answered ${response.status}: ${await response.text()}`)
    await response.arrayBuffer()
    this.cookie = response.headers.get('set-cookie')?.split(';')[0] ?? ''
    return this
  }

  /** One request with a JSON body. */
  change(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<Outcome> {
    return this.outcome(() => this.request(method, path, JSON.stringify(body ?? {}), 'application/json'))
  }

  /** Hands in rows, as the administrator's own page does. */
  import(rows: readonly object[]): Promise<Outcome> {
    const body = rows.map((row) => JSON.stringify(row)).join('\n')
    return this.outcome(() => this.request('POST', '/api/products/import', body, 'application/x-ndjson'))
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(this.origin + path, {
      headers: { cookie: this.cookie, ...headers },
      signal: AbortSignal.timeout(patienceMs),
    })
  }

  private request(method: string, path: string, body: string, type: string): Promise<Response> {
    const headers = { cookie: this.cookie, origin: this.origin, 'content-type': type }
    return fetch(this.origin + path, { method, headers, body, signal: AbortSignal.timeout(patienceMs) })
  }

  private async outcome(send: () => Promise<Response>): Promise<Outcome> {
    try {
      const response = await send()
      const text = await response.text()
      const { status } = response
      if (status >= 500) return { kind: 'unknown', why: `${status} ${text}` }
      const body: unknown = text === '' ? undefined : JSON.parse(text)
      return response.ok ? { kind: 'acknowledged', body } : { kind: 'refused', status, body }
    } catch (error) {
      // Nothing may take for ever: that is no outcome but a fault.
      if (error instanceof Error && error.name === 'TimeoutError') throw error
      return { kind: 'unknown', why: String(error) }
    }
  }
}
