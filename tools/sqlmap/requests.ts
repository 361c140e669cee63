import type { OpenApiDocument, Operation, Schema } from '../../server/src/platform/http/docs-page.ts'

/** A request as sqlmap reads it from a file; a `*` stands behind every value it is to try. */
export type MarkedRequest = { name: string; text: string; marks: number }

/** Values that get past the first check, so that what is tried behind them reaches the database. */
const samples: Record<string, string> = {
  id: '2',
  asin: 'B0ABCD1234',
  asins: 'B0ABCD1234',
  time_zone: 'UTC',
  min_price: '1',
  max_price: '20',
  category: 'brands',
  code: 'p_89:Acme',
  username: 'somebody',
  actor: 'admin',
  url: 'https://www.amazon.com/s?k=mug&rh=p_89%3AAcme',
  map: 'price=price',
  expected_updated_at: '2026-05-01T00:00:00.000Z',
  from: '2026-05-01T00:00:00Z',
  to: '2027-05-01T00:00:00Z',
}

/** Fields whose first allowed value would spoil the other requests, or test nothing. */
const skipped = new Set(['replace', 'expected_updated_at', 'cursor'])

const rowsOf: Record<string, string> = {
  '/api/products/import':
    '[{"asin":"B0ABCD1234*","title":"Folding lantern*","price":"9.99*","availability":"In stock*","image_url":"https://pictures.example/1.jpg*","first_seen":"2026-05-01*"}]',
  '/api/products/import/preview': '[{"asin":"B0ABCD1234*","title":"Folding lantern*","price":"9.99*"}]',
  '/api/amazon_filters/import': '[{"category":"brands*","name":"Acme*","code":"p_89:Acme*"}]',
}

/** One request for every operation of the document, all its parameters and fields filled and marked. */
export function markedRequests(
  document: OpenApiDocument,
  host: string,
  cookie: () => string,
): MarkedRequest[] {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  return operations.map(({ path, method, operation }) => {
    const parameters = operation.parameters ?? []
    const address = path.replace(/\{(\w+)\}/g, (_, name: string) => `${samples[name] ?? '1'}*`)
    const query = parameters
      .filter(({ in: where, name }) => where === 'query' && !skipped.has(name))
      .map(({ name, schema }) => `${name}=${encodeURIComponent(String(sample(name, schema)))}*`)
      .join('&')
    const isSignOut = method === 'DELETE' && path === '/api/session'
    const lines = [
      `${method} ${address}${query === '' ? '' : `?${query}`} HTTP/1.1`,
      `Host: ${host}`,
      `Origin: http://${host}`,
      // Signing out ends the session, so there it is the token itself that is tried.
      isSignOut ? 'Authorization: Bearer nobody*' : `Cookie: dealdeck_session=${cookie()}`,
      ...(path === '/api/session' ? ['User-Agent: Mozilla/5.0*'] : ['User-Agent: Mozilla/5.0']),
      ...(path.endsWith('/events') ? ['Last-Event-ID: 0*'] : []),
    ]
    const body = rowsOf[path] ?? bodyOf(operation) ?? (method === 'GET' ? '' : '{}')
    if (method !== 'GET') lines.push('Content-Type: application/json')
    const text = `${lines.join('\r\n')}\r\n\r\n${body}`
    return { name: `${method} ${path}`, text, marks: text.split('*').length - 1 }
  })
}

function bodyOf({ requestBody }: Operation): string | undefined {
  const schema = requestBody?.content?.['application/json']?.schema
  return schema === undefined ? undefined : JSON.stringify(marked('', schema))
}

/** A value of the schema in which every text is marked. */
function marked(name: string, schema: Schema): unknown {
  if (schema.properties) {
    const fields = Object.entries(schema.properties).filter(([field]) => !skipped.has(field))
    return Object.fromEntries(fields.map(([field, inner]) => [field, marked(field, inner)]))
  }
  if (schema.items) return [marked(name, schema.items)]
  const value = sample(name, schema)
  return typeof value === 'string' ? `${value}*` : value
}

function sample(name: string, schema: Schema | undefined): string | number | boolean {
  const known = samples[name]
  if (known !== undefined) return known
  const allowed = schema?.enum?.[0] ?? schema?.anyOf?.flatMap(({ enum: values }) => values ?? [])[0]
  if (typeof allowed === 'string') return allowed
  const types = [schema, ...(schema?.anyOf ?? [])].flatMap((one) => one?.type ?? [])
  if (types.includes('boolean')) return false
  if (types.includes('integer') || types.includes('number')) return 1
  return 'lantern'
}
