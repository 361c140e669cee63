import {
  type DealTexts,
  dealTexts,
  foundBy,
  goneText,
  moreText,
  plainLines,
  shopText,
  testText,
} from '../deal-texts.ts'
import type { DealMessage, DealState, ListMessage, Message, MessageDeal } from '../message.ts'
import { cutTo, isolated, lines, oneLine } from '../texts.ts'

/** Discord's limits in characters. All texts of all embeds of a message may be 6,000 together, which none of these comes near. */
const [longestTitle, longestDescription, longestThreadName] = [256, 4_096, 100]
const mostEmbeds = 10
const [liveColor, endedColor] = [0x2f_9e_44, 0x86_8e_96]

/** What is sent of it, in the words of Discord's own documents. */
type Embed = {
  title?: string
  description?: string
  url?: string
  color: number
  author?: { name: string }
  thumbnail?: { url: string }
  footer?: { text: string }
}

/** What a message says: `content` stands above its embeds. */
type DiscordText = { content: string; embeds: Embed[]; threadName: string }

/** A foreign text in which Discord finds no markup, mention, emoji, time or link. */
function escapeMarkdown(text: string): string {
  return text
    .replace(/[\\*_~`|<>[\]()#:@!]/g, '\\$&')
    .replace(/^[-+](?=\s)/gm, '\\$&')
    .replace(/^(\d+)\.(?=\s)/gm, '$1\\.')
}

/** The longest beginning of a text that is within the limit once it is escaped. */
const escapedTo = (text: string, most: number) =>
  escapeMarkdown(cutTo(text, most - 1, (part) => escapeMarkdown(part).length))

/** A link with a text that is escaped. */
function linked(text: string, url: string): string {
  const safe = url.replace(/[()<>\s\\]/g, (mark) => `%${mark.charCodeAt(0).toString(16).padStart(2, '0')}`)
  return `[${text}](${safe})`
}

/** A time as each reader sees it in their own zone: the moment, or with `R` how far away it is. */
const timeMark = (time: Date, style: 'f' | 'R') => `<t:${Math.floor(time.getTime() / 1_000)}:${style}>`

export function discordText(message: Message, now: Date): DiscordText {
  switch (message.kind) {
    case 'deal':
      return {
        ...{ content: '', embeds: [dealEmbed(message, now)] },
        threadName:
          message.state === 'gone'
            ? goneText
            : cutTo(dealTexts(message.deal, 'live', now, 'UTC').title, longestThreadName),
      }
    case 'list':
      return listText(message, now)
    case 'notice': {
      const title = oneLine(message.title)
      const description = lines(
        escapedTo(plainLines(message.text), 3_000),
        message.settingsUrl && linked('Open the settings', message.settingsUrl),
      )
      const embeds = [{ title: escapedTo(title, longestTitle), description, color: endedColor }]
      return { content: '', embeds, threadName: cutTo(title, longestThreadName) }
    }
  }
}

function dealEmbed(message: DealMessage, now: Date): Embed {
  const { state, deal } = message
  const author = message.isTest ? { author: { name: testText } } : {}
  if (state === 'gone') return { description: goneText, color: endedColor, ...author }
  const texts = dealTexts(deal, state, now, 'UTC')
  const title = titleOf(texts, state)
  const wholeTitle = title.isWhole ? null : escapedTo(texts.title, 1_500)
  const description = lines(
    wholeTitle,
    state === 'ended' && '**Ended.**',
    priceLine(texts),
    texts.before && escapeMarkdown(texts.before),
    texts.verdict && escapedTo(texts.verdict, 500),
    texts.sparkline && `\`${texts.sparkline}\``,
    texts.rating && escapedTo(texts.rating, 200),
    state === 'live' && deal.endsAt && `Ends ${timeMark(deal.endsAt, 'R')}, ${timeMark(deal.endsAt, 'f')}`,
    `As of ${timeMark(deal.observedAt, 'f')}`,
    lineOfShop(deal, message.disclosure),
  )
  const found = foundBy(message.searches)
  return {
    ...{
      ...author,
      title: title.text,
      url: texts.url,
      description: description.slice(0, longestDescription),
    },
    color: state === 'live' ? liveColor : endedColor,
    ...(deal.imageUrl !== null && { thumbnail: { url: deal.imageUrl } }),
    ...(found !== null && { footer: { text: cutTo(found, 300) } }),
  }
}

function titleOf({ title }: DealTexts, state: DealState) {
  const marks = state === 'ended' ? '~~' : ''
  const room = longestTitle - marks.length * 2
  const isWhole = escapeMarkdown(title).length <= room
  return { isWhole, text: `${marks}${isWhole ? escapeMarkdown(title) : escapedTo(title, room)}${marks}` }
}

function priceLine({ price, original, off }: DealTexts): string | null {
  if (price === null) return null
  const was = original && `~~${escapeMarkdown(original)}~~`
  return [`**${escapeMarkdown(price)}**`, was, off].filter(Boolean).join(' ')
}

function lineOfShop({ shopUrl }: MessageDeal, disclosure: string): string {
  return [linked(shopText, shopUrl), escapedTo(oneLine(disclosure), 250)].filter(Boolean).join(' ')
}

/** Up to ten deals with their pictures; more as lines of one text, as many as there is room for. */
function listText(message: ListMessage, now: Date): DiscordText {
  const { deals, disclosure } = message
  const { embeds, shown } =
    deals.length <= mostEmbeds
      ? { embeds: deals.map((row) => shortEmbed(row, now)), shown: deals.length }
      : oneEmbed(message, now)
  const content = lines(
    `**${escapedTo(oneLine(message.title), 500)}**`,
    moreText(message.more + deals.length - shown),
    message.pageUrl && linked('See all of them', message.pageUrl),
    escapedTo(oneLine(disclosure), 250),
  )
  return { content, embeds, threadName: cutTo(oneLine(message.title), longestThreadName) }
}

/** With so little of each that ten of them are within what Discord takes in all. */
function shortEmbed({ deal, state, searches }: ListMessage['deals'][number], now: Date): Embed {
  if (state === 'gone') return { description: goneText, color: endedColor }
  const texts = dealTexts(deal, state, now, 'UTC')
  const found = foundBy(searches)
  const description = lines(
    state === 'ended' && '**Ended.**',
    priceLine(texts),
    texts.verdict && escapedTo(texts.verdict, 120),
  )
  return {
    ...{ title: titleOf(texts, state).text, url: texts.url },
    ...(description !== '' && { description }),
    color: state === 'live' ? liveColor : endedColor,
    ...(deal.imageUrl !== null && { thumbnail: { url: deal.imageUrl } }),
    ...(found !== null && { footer: { text: cutTo(found, 60) } }),
  }
}

function oneEmbed({ deals }: ListMessage, now: Date): { embeds: Embed[]; shown: number } {
  const rows: string[] = []
  let room = longestDescription
  for (const { deal, state } of deals) {
    const row = lineOf(deal, state, now)
    room -= row.length + 1
    if (room < 0) break
    rows.push(row)
  }
  return { embeds: [{ description: rows.join('\n'), color: liveColor }], shown: rows.length }
}

function lineOf(deal: MessageDeal, state: DealState, now: Date): string {
  if (state === 'gone') return `- ${goneText}`
  const texts = dealTexts(deal, state, now, 'UTC')
  const link = linked(escapedTo(isolated(texts.title), 160), texts.url)
  const said = [state === 'ended' ? `~~${link}~~ ended` : link, priceLine(texts)]
  return `- ${said.filter(Boolean).join(' ')}`
}
