import type { Alert, AlertExpectation, Peace, Why } from '@dealdeck/contract/alerts'
import type {
  Delivery,
  Destination,
  DestinationDescription,
  DestinationKind,
} from '@dealdeck/contract/deliveries'
import type { Page, Request } from '@playwright/test'
import { soon } from './moments.ts'

/** A kind as the server describes it. */
function kind(
  name: DestinationKind,
  label: string,
  help: string,
  more: Partial<DestinationDescription> = {},
): DestinationDescription {
  return {
    ...{ kind: name, label, help, fields: [], confirmed_by: 'nothing', can_edit: true, unavailable: null },
    steps: ['Open its settings.', 'Copy what it shows.', 'Paste it below, then press Add.'],
    ...more,
  }
}

const field = (name: string, label: string, type: 'url' | 'text' | 'secret') => ({
  ...{ name, label, help: null, type, is_required: true, is_advanced: false, initial: '', choices: [] },
  ...{ least: null, most: null, unit: null },
})

const kinds: DestinationDescription[] = [
  kind('discord', 'Discord', 'Into a channel of your server, with picture and price.', {
    fields: [field('url', 'Webhook address', 'secret')],
  }),
  kind('telegram', 'Telegram', 'As messages of a bot, on all your devices.', {
    steps: [
      'Press Add: you get a code.',
      'Open the bot with it and press Start.',
      'Come back and press Test.',
    ],
    confirmed_by: 'link',
  }),
  kind('ntfy', 'ntfy', 'On your phone, by the app ntfy.', { fields: [field('url', 'Address', 'url')] }),
  kind('email', 'E-mail', 'One by one, or as a list a day or a week.', {
    ...{ confirmed_by: 'code', can_edit: false, fields: [field('address', 'Address', 'text')] },
  }),
  kind('webhook', 'Webhook', 'To a program of yours, signed.', { fields: [field('url', 'Address', 'url')] }),
  kind('webpush', 'This device', 'As notifications of this browser, also when Dealdeck is closed.', {
    steps: ['Press the button below.', 'Allow notifications when the browser asks.', 'Press Test.'],
  }),
  kind('apprise', 'Apprise', 'To a hundred other services.', {
    unavailable: 'Whoever runs this installation has not set up Apprise.',
  }),
]

const early = '2026-05-01T00:00:00.000Z'

/** A destination that works; override what the test is about. */
export const destination = (values: Partial<Destination> = {}): Destination => ({
  ...{ id: 1, kind: 'telegram', name: 'Telegram', settings: {}, secrets: [], is_group: false },
  ...{
    is_paused: false,
    affiliate_tag: '',
    disclosure: '',
    state: 'ok',
    state_text: '',
    is_code_sent: false,
    link: null,
  },
  ...{ last_sent_at: soon(-4), created_at: early, updated_at: early, ...values },
})

export const alert = (values: Partial<Alert> = {}): Alert => ({
  ...{ id: 1, search_id: 1, name: 'Watches', q: 'watch price:<30', deal_id: null, target_price: null },
  ...{ destination_id: 1, is_group: false, is_paused: false, stopped: null, last_matched_at: soon(-90) },
  options: { mode: 'now', again_percent: 5, urgent_off: null, urgent_below: null },
  ...{ created_at: early, updated_at: early, ...values },
})

export const delivery = (values: Partial<Delivery> = {}): Delivery => ({
  ...{ id: 1, kind: 'deal', deal_count: 1, searches: ['Watches'], price: 12.5, state: 'sent' },
  destination: { id: 1, kind: 'telegram', name: 'Telegram', is_group: false, owner: 'una' },
  deals: [{ id: 1, asin: 'B0WATCH001', title: 'Dive watch with a steel band' }],
  ...{ reason: 'It began to match “Watches”', status: 200, answer: 'ok', attempts: 1, is_urgent: false },
  ...{ can_replay: true, next_at: null, created_at: soon(-4), sent_at: soon(-4) },
  ...{ updated_at: soon(-4), ...values },
})

const peace: Peace = {
  ...{ time_zone: 'Asia/Kathmandu', follows_device: true, quiet_from: '22:00', quiet_to: '07:00' },
  ...{ most_an_hour: 60, most_at_once: 5, digest_at: '08:00', digest_weekday: 1, paused_until: null },
}

/** What stands in for the server; a test changes it at any time. */
export type Fakes = {
  destinations: Destination[]
  alerts: Alert[]
  deliveries: Delivery[]
  peace: Peace
  expected: AlertExpectation
  why: Why
  /** Method, path and body of each change that was asked for, the newest last. */
  asked: { what: string; body: unknown }[]
}

/** Answers for alerts, destinations and the log as the server would, without its services. */
export async function fakeAlerts(page: Page, given: Partial<Fakes> = {}): Promise<Fakes> {
  const fakes: Fakes = {
    ...{ destinations: [], alerts: [], deliveries: [], peace, asked: [] },
    expected: { matching: 12, has_more: false, per_day: 3.2, days: 7 },
    why: {
      matches: false,
      failed: ['It costs $40.00, the question says under $30.'],
      deliveries: [],
      delivery: null,
    },
    ...given,
  }
  await page.route(/\/api\/(alerts|destinations|deliveries)/, async (route) => {
    const request = route.request()
    const answer = answerOf(fakes, request)
    if (request.method() !== 'GET')
      fakes.asked.push({ what: whatOf(request), body: request.postDataJSON() ?? null })
    await (answer === null ? route.fulfill({ status: 204 }) : route.fulfill({ json: answer }))
  })
  return fakes
}

const pathOf = (request: Request) => new URL(request.url()).pathname
const whatOf = (request: Request) => `${request.method()} ${pathOf(request)}`

function answerOf(fakes: Fakes, request: Request): object | null {
  const what = whatOf(request)
  const id = Number(/\/(\d+)/.exec(pathOf(request))?.[1])
  // What the app sends is of the contract's types.
  const body = (request.postDataJSON() ?? {}) as Record<string, never>
  if (what === 'GET /api/destinations/kinds') return kinds
  if (what === 'GET /api/destinations/vapid') return { public_key: 'BPk' }
  if (what === 'GET /api/destinations') return { items: fakes.destinations }
  if (what === 'POST /api/destinations') return addDestination(fakes, body)
  if (/^POST .*\/test$/.test(what)) return { is_sent: true, text: 'Telegram took it.', delivery_id: 1 }
  if (/destinations\/\d+/.test(what)) {
    fakes.destinations = fakes.destinations
      .filter((one) => request.method() !== 'DELETE' || one.id !== id)
      .map((one) => (one.id === id ? changed(one, what, body) : one))
    const found = fakes.destinations.find((one) => one.id === id)
    if (what.endsWith('/renew')) return { ...found, signing_secret: 'whsec_YW5vdGhlcg' }
    return request.method() === 'DELETE' ? null : (found ?? {})
  }
  if (what === 'GET /api/deliveries') return { items: fakes.deliveries, next_cursor: null }
  if (/replay$/.test(what)) return delivery({ reason: 'Sent once more' })
  if (what === 'GET /api/alerts/expect') return fakes.expected
  if (what === 'GET /api/alerts/why') return fakes.why
  if (what === 'GET /api/alerts/peace') return fakes.peace
  if (what === 'PATCH /api/alerts/peace') {
    const { is_group: _, ...change } = body
    fakes.peace = { ...fakes.peace, ...change }
    return fakes.peace
  }
  if (what === 'GET /api/alerts') return { items: fakes.alerts }
  if (what === 'POST /api/alerts') {
    const { send_matching: _, options, ...input } = body
    const made = alert({ id: 50 + fakes.alerts.length, search_id: null, ...input })
    fakes.alerts = [...fakes.alerts, made]
    return made
  }
  if (request.method() === 'DELETE') {
    fakes.alerts = fakes.alerts.filter((one) => one.id !== id)
    return null
  }
  if (typeof body.target_price === 'number')
    fakes.alerts = fakes.alerts.map((one) => (one.id === id ? { ...one, ...body } : one))
  return fakes.alerts.find((one) => one.id === id) ?? {}
}

function addDestination(fakes: Fakes, body: Record<string, never>): object {
  const { secrets: _, ...input } = body
  const described = kinds.find((one) => one.kind === body.kind)
  const isOpen = described?.confirmed_by !== 'nothing'
  const made = destination({
    ...{ id: 70 + fakes.destinations.length, last_sent_at: null, ...input },
    ...(isOpen && { state: 'unconfirmed', state_text: 'Nothing is sent before it is linked.' }),
    is_code_sent: described?.confirmed_by === 'code',
    link:
      described?.confirmed_by === 'link'
        ? { code: 'K7QX2M', url: 'https://t.me/dealdeck_bot?start=K7QX2M', expires_at: soon(30) }
        : null,
  })
  fakes.destinations = [...fakes.destinations, made]
  return { ...made, signing_secret: body.kind === 'webhook' ? 'whsec_c2hvd24gb25jZQ' : null }
}

function changed(one: Destination, what: string, body: Record<string, never>): Destination {
  if (what.endsWith('/confirm')) return { ...one, state: 'ok', state_text: '', is_code_sent: false }
  if (what.endsWith('/renew')) return one
  return { ...one, ...body, state: body.is_paused ? 'paused' : 'ok' }
}
