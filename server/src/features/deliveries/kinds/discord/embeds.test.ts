import fc from 'fast-check'
import { expect, test } from 'vitest'
import { discordServer } from '../../../../../testing/discord-server.ts'
import {
  anyTitle,
  dealMessage,
  hostileTitles,
  kindDeps,
  listMessage,
  messageDeal,
  messageNow,
  sendContext,
  targetOf,
} from '../../../../../testing/messages.ts'
import { oneLine } from '../texts.ts'
import { discordKind } from './discord.ts'
import { discordText } from './embeds.ts'

/** Signs that mean something to Discord unless a backslash stands before them. */
const meaningful = /[*_~`|<>[\]()#:@!]|^[-+]\s|^\d+\.\s/m
const withoutEscapes = (text: string) => text.replace(/\\[^\sa-zA-Z0-9]/g, 'x')
const shown = (text: string) => text.replace(/\\([^\sa-zA-Z0-9])/g, '$1')

/** What readers see of a title that Discord was sent; fails where a sign of it means something. */
function readTitle(text: string): string {
  expect(withoutEscapes(text)).not.toMatch(meaningful)
  return shown(text)
}

test('any title is whole, or cut to the limit, and none of it becomes markup or a mention', () => {
  fc.assert(
    fc.property(anyTitle, (title) => {
      const message = dealMessage({
        deal: messageDeal({ title }),
        searches: [title],
        disclosure: title.slice(0, 120),
      })
      const [embed] = discordText(message, messageNow).embeds
      const plain = oneLine(title) || message.deal.asin
      const read = readTitle(embed?.title ?? '')
      expect(embed?.title?.length).toBeLessThanOrEqual(256)
      if (read === plain) return
      // What a title has no room for stands below it.
      expect(plain.startsWith(read.slice(0, -1))).toBe(true)
      expect(readTitle(embed?.description?.split('\n')[0] ?? '')).toBe(plain)
    }),
  )
})

test.each([1, 10, 11, 60])('a list of %i hostile titles is taken by Discord', async (count) => {
  const server = await discordServer()
  const titles = Array.from({ length: count }, (_, at) => hostileTitles[at % hostileTitles.length] ?? '')
  const target = targetOf({ webhook_url: server.webhookUrl })
  for (const title of hostileTitles) {
    const list = listMessage(titles, { title, disclosure: title.slice(0, 120), more: 3 })
    const deals = list.deals.map((row, at) => ({
      ...row,
      state: at % 3 === 1 ? ('ended' as const) : row.state,
    }))
    const outcome = await discordKind
      .bind({})
      .send(target, { ...list, deals, searches: titles }, kindDeps(), sendContext())
    expect(outcome).toMatchObject({ result: 'sent' })
  }
  expect(server.asked).toHaveLength(hostileTitles.length)
})

test('of a list the deals that have no room are counted', () => {
  const titles = Array.from({ length: 60 }, (_, at) => `${at} ${'long '.repeat(40)}`)
  const { content, embeds } = discordText(listMessage(titles, { more: 5 }), messageNow)
  const rows = embeds[0]?.description?.split('\n').length ?? 0
  expect(rows).toBeGreaterThan(10)
  expect(content).toBe(
    `**Deals of the night**\nand ${65 - rows} more\n[See all of them](https://deals.example/?q=lamp)`,
  )
})

test('in a list, what has ended is struck through and what is gone is not named', () => {
  const list = listMessage(['One', 'Two', 'Three'])
  const states = ['live', 'ended', 'gone'] as const
  const deals = list.deals.map((row, at) => ({ ...row, state: states[at] ?? 'live' }))
  const { embeds } = discordText({ ...list, deals }, messageNow)
  expect(embeds.map(({ title }) => title)).toEqual(['One', '~~Two~~', undefined])
  const many = [...deals, ...listMessage(Array(9).fill('Other')).deals]
  const text = discordText({ ...list, deals: many }, messageNow).embeds[0]?.description?.split('\n')
  expect(text?.[1]).toMatch(/^- ~~\[Two\]\(https:[^)]*\)~~ ended/)
  expect(text?.[2]).toBe('- This deal is not shown any more.')
})

test('an address with brackets stays one link', () => {
  const deal = messageDeal({ shopUrl: 'https://shop.example/a(b)?c=<d> e', pageUrl: null })
  const [embed] = discordText(dealMessage({ deal }), messageNow).embeds
  expect(embed?.description).toContain('(https://shop.example/a%28b%29?c=%3cd%3e%20e)')
})
