import { createHash } from 'node:crypto'
import { z } from 'zod'
import { isMailAddress } from '../../../../platform/mail-settings.ts'
import { saidText } from '../../../../platform/outgoing/service-answers.ts'
import { settingField } from '../../../../platform/setting-fields.ts'
import { destinationKind, type KindDeps, type SendOutcome, type Target } from '../destination-kind.ts'
import type { Message } from '../message.ts'
import { cutTo, lines } from '../texts.ts'
import { mailHtml, mailText } from './mail-forms.ts'
import { mailParts } from './mail-parts.ts'
import { type HandedOver, handOver } from './transport.ts'
import { unsubscribeUrl } from './unsubscribing.ts'

const settings = z.object({
  address: z
    .string({ error: 'must be an e-mail address' })
    .trim()
    .refine(isMailAddress, 'must be an e-mail address, in letters without accents'),
})
type EmailSettings = z.output<typeof settings>

const longestSubject = 240

/** Mail by the server of SMTP_URL. */
export const email = destinationKind<EmailSettings>({
  kind: 'email',
  description: {
    label: 'E-mail',
    help: 'Also for daily and weekly lists. What was sent can’t be changed any more: a price that falls further is another message, in the same conversation.',
    steps: [
      'Enter the address and press Add: a code is sent there.',
      'Enter the code here. Look into the folder for spam, should it not be there after a minute.',
      'Send a test, and put the sender into your contacts so that nothing is sorted out.',
    ],
    fields: [settingField('address', 'Address', 'text', { is_required: true, initial: '' })],
    confirmed_by: 'code',
  },
  unavailable: ({ settings: { SMTP_URL, MAIL_FROM } }) => {
    const missing = [SMTP_URL === null ? 'SMTP_URL' : [], MAIL_FROM === null ? 'MAIL_FROM' : []].flat()
    if (missing.length === 0) return null
    return `No mail is sent from here yet. Whoever runs Dealdeck sets ${missing.join(' and ')}.`
  },
  settings,
  limits: () => [{ key: 'smtp', burst: 20, perSecond: 5 }],
  sendCode: async ({ settings: { address } }, code, deps, context) => {
    const text = lines(
      `The code is ${code}.`,
      'Enter it in Dealdeck, so that alerts are sent to this address.',
      'If you don’t know what this is about, somebody has mistyped theirs: nothing more is sent without the code.',
    )
    const parts = {
      subject: `Your code for Dealdeck: ${code}`,
      heading: '',
      text,
      deals: [],
      links: [],
      footer: [],
    }
    const messageId = `<${createHash('sha256').update(`${address} ${code}`).digest('hex').slice(0, 32)}@${domainOf(deps)}>`
    const mail = { to: address, subject: parts.subject, text: `${text}\n`, html: mailHtml(parts) }
    const handed = await handOver(
      deps.settings,
      { ...mail, messageId, thread: null, headers: {} },
      context.signal,
    )
    return outcomeOf(handed, messageId, deps)
  },
  send: async (target, message, deps, context) => {
    const unsubscribe = await unsubscribeUrl(deps, target.id, target.settings.address)
    const { timeZone, signal } = context
    const parts = mailParts(message, { timeZone, now: deps.clock(), unsubscribeUrl: unsubscribe })
    const messageId = `<${message.uid}@${domainOf(deps)}>`
    const mail = {
      ...{ to: target.settings.address, subject: subjectOf(parts.subject), messageId },
      ...{ text: mailText(parts), html: mailHtml(parts), thread: threadOf(target, message, deps) },
      headers: unsubscribe === null ? {} : unsubscribeHeaders(unsubscribe),
    }
    return outcomeOf(await handOver(deps.settings, mail, signal), messageId, deps)
  },
})

/** One click in the reader's program unsubscribes (RFC 8058), by a request that changes something. */
function unsubscribeHeaders(url: string): Record<string, string> {
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
}

/** A title that looks like an encoded text would be decoded by whoever shows it: an invisible mark stands in between. */
const subjectOf = (text: string) => cutTo(text, longestSubject).replaceAll('=?', '=\u2060?')

const domainOf = ({ settings: { MAIL_FROM } }: Pick<KindDeps, 'settings'>) =>
  MAIL_FROM?.address.split('@')[1] ?? 'localhost'

/** All that is told of one deal answers a message that was never sent, by which programs show them as one conversation. */
function threadOf({ id }: Target<EmailSettings>, message: Message, deps: KindDeps): string | null {
  return message.kind === 'deal' ? `<deal-${message.deal.id}.${id}@${domainOf(deps)}>` : null
}

function outcomeOf(handed: HandedOver, messageId: string, { settings: { SMTP_URL } }: KindDeps): SendOutcome {
  const secrets = [SMTP_URL?.auth?.pass ?? '', SMTP_URL?.auth?.user ?? '']
  if (handed.isTaken) return { result: 'sent', messageId, ...answerOf(handed.response, secrets) }
  const { error, isBegun } = handed
  const { code = '', command = '', responseCode: status } = error
  const because = status === undefined ? '' : ` (${status})`
  if (code === 'EAUTH')
    return {
      ...{ result: 'failed', ...(status !== undefined && { status }) },
      text: `The mail server doesn’t accept the user and password of SMTP_URL${because}. Whoever runs Dealdeck enters them anew.`,
    }
  if (status === undefined)
    return isBegun
      ? {
          result: 'unknown',
          text: 'It may have arrived: the connection to the mail server ended before its answer.',
        }
      : { result: 'failed', text: unreachedText(code) }
  const facts = { status, ...answerOf(error.response ?? '', secrets) }
  if (status < 500)
    return { ...facts, result: 'failed', text: `The mail server wants to be asked again later${because}.` }
  if (command === 'RCPT TO' && isFull(error.response ?? ''))
    return { ...facts, result: 'failed', text: `The mailbox is full${because}.` }
  if (command === 'RCPT TO' && !isAboutUs(error.response ?? ''))
    return { ...facts, result: 'gone', text: `The mail server says that there is no such address${because}.` }
  if (command === 'DATA')
    return { ...facts, result: 'refused', text: `The mail server refuses this message${because}.` }
  return {
    ...{ ...facts, result: 'failed' },
    text: `The mail server refuses to send for us${because}. Whoever runs Dealdeck looks at SMTP_URL and MAIL_FROM.`,
  }
}

/** Of a refused recipient: whether there is no room for mail, which its owner can make, though many servers say so as if for good. */
const isFull = (response: string) => /^552|^5\d\d[ -]5\.2\.2/.test(response)

/** Of a refused recipient: whether the server wants a password, or refuses by rules about who sends, such as to pass on mail of ours. */
const isAboutUs = (response: string) => /^53\d|^5\d\d[ -]5\.7\./.test(response)

function answerOf(response: string, secrets: readonly string[]): { answer?: string } {
  const answer = saidText(response, secrets)
  return answer === null ? {} : { answer }
}

function unreachedText(code: string): string {
  const operator = 'Whoever runs Dealdeck looks at SMTP_URL.'
  if (code === 'EABORT') return `The mail server didn’t get to it in time. ${operator}`
  if (code === 'EDNS') return `There is no such mail server. ${operator}`
  if (code === 'ETLS' || code === 'ESOCKET')
    return `The mail server can’t be reached by TLS, or not at all. ${operator}`
  return `The mail server can’t be reached. ${operator}`
}
