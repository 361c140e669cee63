export type Schema = {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  description?: string
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
}
type Media = Record<string, { schema?: Schema }>

/** As much of an OpenAPI operation as the page shows. */
export type Operation = {
  summary?: string
  description?: string
  security?: unknown[]
  parameters?: { name: string; in: string; required?: boolean; schema?: Schema }[]
  requestBody?: { content?: Media }
  responses?: Record<string, { description?: string; content?: Media }>
}
export type OpenApiDocument = {
  info: { title: string; description?: string }
  /** Every code an error may carry. An extension: OpenAPI has no place for what all operations share. */
  'x-errors': { code: string; status: number; meaning: string }[]
  paths: Record<string, Record<string, Operation>>
}

/** A readable page of an OpenAPI document: no script, nothing from another host. */
export function docsPage({ info, paths, 'x-errors': errors }: OpenApiDocument): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => section(method.toUpperCase(), path, operation)),
  )
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${text(info.title)} API</title><style>
:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:860px;margin:0 auto;padding:24px 16px}
code{font-family:ui-monospace,monospace}article{border-top:1px solid #8884;padding:12px 0}h2{font-size:16px;margin:0}
table{border-collapse:collapse;width:100%}td{padding:2px 12px 2px 0;vertical-align:top}p{margin:4px 0}small{opacity:.75}
</style><main><h1>${text(info.title)} API</h1><p>${text(info.description ?? '')}</p>
<p>Errors carry their HTTP status and <code>{"code", "message", "fields"?}</code>, with one of <a href="#errors">these codes</a>. The same as a document: <a href="/api/openapi.json">openapi.json</a>.</p>
<h2 id="errors">Error codes</h2>
<table>${errors.map(({ code, status, meaning }) => row(code, `${status} ${meaning}`)).join('')}</table>
${operations.join('\n')}</main></html>`
}

function section(method: string, path: string, operation: Operation): string {
  const inputs = (operation.parameters ?? []).map((parameter) =>
    row(
      `${parameter.name}${parameter.required ? '' : '?'}`,
      `${parameter.in}: ${describe(parameter.schema)}`,
    ),
  )
  const bodies = Object.entries(operation.requestBody?.content ?? {}).map(([type, { schema }]) =>
    row('body', `${type} ${describe(schema)}`),
  )
  const answers = Object.entries(operation.responses ?? {}).map(([status, { description, content }]) =>
    row(
      status,
      Object.values(content ?? {})
        .map(({ schema }) => describe(schema))
        .join(' ') ||
        (description ?? ''),
    ),
  )
  return `<article><h2><code>${method} ${text(path)}</code></h2><p>${text(operation.summary ?? '')} <small>${text(operation.description ?? '')}</small></p>
<table>${[...inputs, ...bodies, ...answers].join('')}</table></article>`
}

const row = (name: string, value: string) =>
  `<tr><td><code>${text(name)}</code></td><td>${text(value)}</td></tr>`

function describe(schema: Schema | undefined): string {
  if (!schema) return ''
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const either = schema.anyOf ?? schema.oneOf
  if (either) return [...new Set(either.map(describe))].join(' | ')
  if (schema.properties)
    return `{${Object.entries(schema.properties)
      .map(([name, inner]) => `${name}: ${describe(inner)}`)
      .join(', ')}}`
  if (schema.items) return `[${describe(schema.items)}]`
  return [schema.type ?? ''].flat().join(' | ')
}

const text = (raw: string) => raw.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
