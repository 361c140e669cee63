import { z } from 'zod'
import { optionalText, settingField } from '../../../../platform/setting-fields.ts'
import { type Answer, answerFacts, askService, outcomeOfStatus, secretTexts } from '../answers.ts'
import { type AnyDestinationKind, destinationKind, type SendOutcome } from '../destination-kind.ts'
import { plainText } from '../plain-texts.ts'
import { unitsOf } from '../texts.ts'

const appriseSettings = z.object({
  server: optionalText(500)
    .transform((text) => text.replace(/\/+$/, ''))
    .refine(isAddress, 'must be the address of an Apprise API server, such as https://apprise.example'),
  tag: optionalText(100).refine((tag) => /^[\w, -]*$/.test(tag), 'must be letters, digits and dashes'),
})
type AppriseSettings = z.output<typeof appriseSettings>

/** Nobody knows what is behind it, so as little as most services take. */
const room = { title: 200, body: 1_800, sizeOf: unitsOf }

const form = {
  label: 'Apprise',
  help: 'The door to more than a hundred other services, by an Apprise API server of your own. It can’t change what was sent, and of several services behind one key it doesn’t say which has failed.',
  steps: [
    'Run an Apprise API server that this installation reaches, or have one.',
    'Enter its address, and the Apprise URL of one service, such as slack://… or matrix://….',
    'Press Add, and send a test.',
  ],
  fields: [
    settingField('server', 'Server', 'url', {
      ...{
        is_required: true,
        help: 'One in a private network can be reached for the group only, where FETCH_ALLOW names it.',
      },
    }),
    settingField('apprise_url', 'Apprise URL', 'secret', {
      help: 'Of one service, so that a failure is that one’s. Of a title it gets 200 letters, of a text 1,800.',
    }),
    settingField('key', 'Key', 'secret', {
      ...{
        is_advanced: true,
        help: 'Instead of an Apprise URL: a key under which the server has stored some.',
      },
    }),
    settingField('tag', 'Tag', 'text', {
      ...{ initial: '', is_advanced: true, help: 'Of those stored under the key only these.' },
    }),
  ],
  confirmed_by: 'nothing' as const,
}

/** Messages to whatever an Apprise API server knows. */
export const appriseKind: AnyDestinationKind = destinationKind<AppriseSettings>({
  kind: 'apprise',
  description: form,
  unavailable: () => null,
  settings: appriseSettings,
  check: ({ tag }, { apprise_url = '', key = '' }, names): Record<string, string> | null => {
    const has = (name: string) => names.includes(name)
    if (apprise_url !== '' && (!/^[a-z][a-z\d+.-]*:\/\/\S+$/i.test(apprise_url) || /[\s,]/.test(apprise_url)))
      return { apprise_url: 'must be one Apprise URL, such as slack://…' }
    if (key !== '' && !/^[\w-]{1,128}$/.test(key))
      return { key: 'must be letters, digits, dashes and underscores' }
    if (has('apprise_url') && has('key')) return { key: 'must be empty where there is an Apprise URL' }
    if (!has('apprise_url') && !has('key')) return { apprise_url: 'is needed, or a key' }
    if (tag !== '' && !has('key')) return { tag: 'is for a key only' }
    return null
  },
  limits: ({ settings, id }) => [
    { key: `apprise:${id}`, burst: 3, perSecond: 0.5 },
    { key: `apprise:${new URL(settings.server).host}`, burst: 10, perSecond: 5 },
  ],
  send: async (target, message, deps, context) => {
    const { settings, secrets, isGroup } = target
    const { apprise_url = '', key = '' } = secrets
    const when = { now: deps.clock(), timeZone: context.timeZone }
    const { title, body } = plainText(message, when, room, true)
    const { answer, outcome } = await askService(
      deps,
      { isGroup },
      `${settings.server}/notify${key === '' ? '' : `/${encodeURIComponent(key)}`}`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({
          ...(key === '' ? { urls: apprise_url } : settings.tag !== '' && { tag: settings.tag }),
          ...{ title, body, type: message.kind === 'notice' ? 'warning' : 'info', format: 'text' },
        }),
      },
      context,
    )
    return outcome ?? outcomeOf(answer, secretTexts(secrets), deps.clock())
  },
})

function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, search, hash, username } = new URL(text)
  return /^https?:$/.test(protocol) && search === '' && hash === '' && username === ''
}

function outcomeOf(answer: Answer, secrets: readonly string[], now: Date): SendOutcome {
  const { status, json } = answer
  const facts = answerFacts(answer, secrets, json ? json.error : answer.text)
  if (status === 200) return { status, result: 'sent', messageId: null }
  if (status === 204)
    return { ...facts, result: 'gone', text: 'There is nothing under that key, or with that tag (204).' }
  if (status === 424)
    return {
      ...{ ...facts, result: 'failed' },
      text: 'The service behind the Apprise server didn’t take it (424). The server’s own log says why.',
    }
  if (status === 401 || status === 403)
    return { ...facts, result: 'gone', text: `The Apprise server refuses this installation (${status}).` }
  if (status === 404 || status === 405)
    return { ...facts, result: 'gone', text: `There is no Apprise API at this address (${status}).` }
  return { ...facts, ...outcomeOfStatus(answer, now, 'The Apprise server', { status }) }
}
