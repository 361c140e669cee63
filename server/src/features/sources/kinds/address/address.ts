import { z } from 'zod'
import { AppError } from '../../../../platform/errors.ts'
import { checkReading, jsonListsIn } from '../../../ingest/rules.ts'
import {
  availabilityField,
  availabilitySetting,
  listsAllField,
  plainField,
  switchSetting,
  textSetting,
  urlSetting,
} from '../document-settings.ts'
import { handOver } from '../hand-over.ts'
import { politeGet, Received } from '../polite-get.ts'
import { type RunContext, type RunOutcome, sourceKind } from '../source-kind.ts'

const limits = { packedBytes: 512 * 1024 ** 2, bytes: 2 * 1024 ** 3, totalMs: 15 * 60_000 }
/** So much of a document shows which lists it holds. */
const listBytes = 1024 ** 2
const mostNamed = 8
const mostLists = 20

/** A header that may carry a secret: not one by which the connection itself works, or that every request has. */
const headerName =
  /^(?!(?:host|connection|content-.*|transfer-.*|te|upgrade|range|accept.*|if-.*|user-agent|proxy-.*)$)[!#$%&'*+.^_`|~\w-]+$/i

const settings = z
  .object({
    url: urlSetting,
    map: textSetting(4_000),
    availability: availabilitySetting,
    encoding: textSetting(40),
    list_path: textSetting(300),
    lists_all: switchSetting,
    header: textSetting(100).refine(
      (name) => name === '' || headerName.test(name),
      'must be the name of a header, such as X-Api-Key',
    ),
  })
  .superRefine(({ map, encoding, list_path: listPath }, { addIssue }) => {
    try {
      checkReading({ map, encoding, listPath })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const [field = 'map', message = error.message] = Object.entries(error.fields ?? {})[0] ?? []
      addIssue({ code: 'custom', path: [field], message })
    }
  })
type Settings = z.infer<typeof settings>

/** A document at an address, in any format that can be imported. */
export const address = sourceKind<Settings>({
  kind: 'address',
  addressSetting: 'url',
  description: {
    label: 'Address',
    help: 'A CSV, JSON or NDJSON document at an address, also packed with gzip. It is read as an imported file is.',
    fields: [
      { ...plainField, name: 'url', label: 'Address', type: 'url', is_required: true },
      availabilityField,
      listsAllField,
      {
        ...{ ...plainField, name: 'list_path', label: 'List in the document' },
        help: 'Where the list lies in a JSON document, such as $.deals.items. Empty: the only list there is.',
      },
      {
        ...{ ...plainField, name: 'header', label: 'Header', is_advanced: true },
        help: 'The name of a header that its owner wants, such as X-Api-Key or Authorization.',
      },
      {
        ...plainField,
        name: 'header_value',
        label: 'Value of the header',
        type: 'secret',
        is_advanced: true,
      },
      {
        ...{ ...plainField, name: 'map', label: 'Columns', is_advanced: true },
        help: 'Corrections of the recognised columns: price=now,title=name.',
      },
      {
        ...{ ...plainField, name: 'encoding', label: 'Encoding', is_advanced: true },
        help: 'Of a text that is not UTF-8, such as shift_jis. Empty: it is recognised.',
      },
    ],
  },
  settings,
  check: ({ header }, secretNames): Record<string, string> | null => {
    const hasValue = secretNames.includes('header_value')
    if (header !== '' && !hasValue) return { header_value: 'must be given, since there is a header' }
    return header === '' && hasValue ? { header: 'must be given, since there is a value' } : null
  },
  run,
})

async function run(given: Settings, context: RunContext): Promise<RunOutcome> {
  const { url, header, ...reading } = given
  const secret = context.secrets.header_value
  const received = await politeGet(context, {
    ...{ url, limits, reading },
    accept: 'text/csv, application/x-ndjson, application/json, */*;q=0.5',
    ...(header !== '' && secret && { secretHeaders: { [header]: secret } }),
  })
  if (!(received instanceof Received)) return received
  try {
    return await read(given, context, received)
  } finally {
    received.cancel()
  }
}

async function read(given: Settings, context: RunContext, received: Received): Promise<RunOutcome> {
  const { map, encoding, availability, list_path: listPath, lists_all: listsAll } = given
  const beginning = listPath === '' || context.isTry ? await received.beginning(listBytes) : null
  const found = beginning ? await jsonListsIn(beginning, encoding) : []
  const lists = found.toSorted((one, other) => other.products - one.products || other.rows - one.rows)
  const several = lists.filter(({ products }) => products > 0)
  const named = lists.slice(0, mostLists).map(({ path, rows }) => ({ path, rows }))
  const told = named.length > 1 ? { lists: named } : {}
  // Of a try some rows are shown all the same, beside the lists to choose from.
  if (listPath === '' && several.length > 1 && !context.isTry) return { ...unclear(several), ...told }
  const body = received.body()
  const document = { ...{ body, map, encoding, availability, listsAll }, isWhole: true }
  try {
    const { outcome } = await handOver(context, { ...document, ...(listPath !== '' && { listPath }) })
    if (received.isSame) return received.end({ state: 'unchanged' })
    if (outcome) return { ...outcome, ...(context.isTry && told) }
    return received.end({ state: 'done', ...(context.isTry && told) })
  } catch (error) {
    if (received.isSame) return received.end({ state: 'unchanged' })
    throw error
  }
}

function unclear(lists: readonly { path: string }[]): RunOutcome {
  const named = lists.slice(0, mostNamed).map(({ path }) => path)
  return {
    ...{ state: 'failed', isPermanent: true },
    text: `The document holds several lists of products. Name one of them in the settings: ${named.join(', ')}.`,
  }
}
