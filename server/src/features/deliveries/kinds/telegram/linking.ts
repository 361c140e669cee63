import { sql } from 'kysely'
import { BoundedMap } from '../../../../platform/bounded-map.ts'
import { catchUp } from '../../sending/catching-up.ts'
import { goneTitle, noticeOwner } from '../../sending/notices.ts'
import { hashCode } from '../codes.ts'
import { quiet } from '../deal-texts.ts'
import type { KindDeps } from '../destination-kind.ts'
import { cutTo, oneLine } from '../texts.ts'
import { callBot } from './api.ts'
import type { TelegramSettings } from './telegram.ts'
import { type BotMessage, type BotUpdate, readCommand, titleOfChat } from './updates.ts'

/** A chat that has sent so many wrong codes within an hour is not answered any more. */
const mostWrongCodes = 10
const hourMs = 3_600_000

export type LinkDeps = Pick<KindDeps, 'databases' | 'clock' | 'settings' | 'fetch'> & {
  base: string
  /** Called once a destination is different. */
  changed(destinationId: number): void
}

/** Hears what people tell the bot: codes that link their chats, and that they want no more. */
export class ChatLinks {
  readonly #deps: LinkDeps
  readonly #wrongCodes = new BoundedMap<number, { count: number; since: number }>(10_000)

  constructor(deps: LinkDeps) {
    this.#deps = deps
  }

  /** Does what an update says. Throws what the database throws; a second time it makes no difference. */
  async hear(update: BotUpdate, botName: string | null, signal: AbortSignal): Promise<void> {
    const { message = update.channel_post, my_chat_member: membership } = update
    if (membership) {
      const { status } = membership.new_chat_member
      if (status === 'kicked' || status === 'left') await this.#removed(membership.chat.id)
    }
    const command = message?.text === undefined ? null : readCommand(message.text, botName)
    if (!message || !command) return
    const answer = await this.#obey(message, command, signal)
    if (answer !== null) await this.#say(message, answer, signal)
  }

  async #obey(
    message: BotMessage,
    { name, code, isNamed }: NonNullable<ReturnType<typeof readCommand>>,
    signal: AbortSignal,
  ): Promise<string | null> {
    const isAlone = message.chat.type === 'private'
    if (!(await this.#mayDecide(message, signal)))
      return 'Only administrators of this group can link it, or end that.'
    if (name === 'stop') {
      const names = await this.#pause(message.chat.id, isAlone)
      if (names.length > 0) return `Paused: ${names.join(', ')}. Send /start to go on.`
      return isAlone || isNamed ? 'Nothing is linked to this chat.' : null
    }
    if (code !== '') return this.#link(message, code)
    const names = await this.#resume(message.chat.id)
    if (names.length > 0) return `Deals arrive here again: ${names.join(', ')}.`
    return isAlone || isNamed
      ? 'Hello. Add a destination for Telegram in Dealdeck and open its link, or send me /start with the code it shows.'
      : null
  }

  async #link(message: BotMessage, code: string): Promise<string | null> {
    const { databases, clock, changed } = this.#deps
    const now = clock().getTime()
    const wrong = this.#wrongCodes.get(message.chat.id) ?? { count: 0, since: now }
    const isRecent = now - wrong.since < hourMs
    if (isRecent && wrong.count >= mostWrongCodes) return null
    const settings: TelegramSettings = {
      chat_id: String(message.chat.id),
      chat_title: cutTo(oneLine(titleOfChat(message.chat)), 100),
      topic_id: message.is_topic_message ? String(message.message_thread_id ?? '') : '',
    }
    const same = await this.#linkedBefore(code, settings)
    if (same !== undefined)
      return `${label(same)} goes to this chat already. Another one would bring each message twice.`
    const linked = await databases.durableDb
      .updateTable('destinations')
      .set({
        ...{ settings: JSON.stringify(settings), state: 'ok', state_text: '', failing_since: null },
        // A pause was of the chat before.
        resume_at: null,
        ...{ code_hash: null, code: null, code_expires_at: null, code_failures: 0, is_paused: false },
        updated_at: sql`date_trunc('milliseconds', now())`,
      })
      .where('kind', '=', 'telegram')
      .where('code_hash', '=', hashCode(code))
      .where('code_expires_at', '>', clock())
      .returning(['id', 'name', 'owner_id'])
      .executeTakeFirst()
    if (!linked) {
      this.#wrongCodes.set(
        message.chat.id,
        isRecent ? { ...wrong, count: wrong.count + 1 } : { count: 1, since: now },
      )
      return 'That code is not valid, or not any more. Dealdeck shows a new one.'
    }
    await catchUp(databases.durableDb, [linked.id])
    changed(linked.id)
    const owner =
      linked.owner_id === null ? 'the group' : ((await this.#usernameOf(linked.owner_id)) ?? 'a member')
    return `Linked as ${label(linked.name)} of ${label(owner)}. Deals arrive here; send /stop to end that.`
  }

  /** The name of another destination of the same owner that goes to this very chat; undefined: there is none. */
  async #linkedBefore(code: string, { chat_id, topic_id }: TelegramSettings): Promise<string | undefined> {
    const { databases, clock } = this.#deps
    const row = await databases.durableDb
      .selectFrom('destinations as t')
      .innerJoin('destinations as other', (join) =>
        join
          .on('other.owner_id', 'is not distinct from', (eb) => eb.ref('t.owner_id'))
          .onRef('other.id', '<>', 't.id'),
      )
      .select('other.name')
      .where('t.kind', '=', 'telegram')
      .where('t.code_hash', '=', hashCode(code))
      .where('t.code_expires_at', '>', clock())
      .where('other.kind', '=', 'telegram')
      .where('other.state', 'in', ['ok', 'failing'])
      .where(sql`other.settings->>'chat_id'`, '=', chat_id)
      .where(sql`coalesce(other.settings->>'topic_id', '')`, '=', topic_id)
      .executeTakeFirst()
    return row?.name
  }

  async #usernameOf(id: number): Promise<string | undefined> {
    const { databases } = this.#deps
    const row = await databases.db
      .selectFrom('users')
      .select('username')
      .where('id', '=', id)
      .executeTakeFirst()
    return row?.username
  }

  async #pause(chatId: number, isAlone: boolean): Promise<string[]> {
    const { databases } = this.#deps
    const text = 'Somebody has sent /stop in the chat.'
    const paused = await databases.durableDb
      .updateTable('destinations')
      .set({
        ...{ is_paused: true, state_text: text },
        updated_at: sql`date_trunc('milliseconds', now())`,
      })
      .where('kind', '=', 'telegram')
      .where(sql<string>`settings->>'chat_id'`, '=', String(chatId))
      .where('is_paused', '=', false)
      .returning(['id', 'name', 'owner_id'])
      .execute()
    // In a chat of their own a member has said it themselves; of the group's, administrators who haven't are to know.
    for (const each of paused)
      if (!isAlone || each.owner_id === null)
        await noticeOwner(databases.durablePool, each, { title: `${each.name} is paused`, text })
    return this.#told(paused)
  }

  async #resume(chatId: number): Promise<string[]> {
    const { databases } = this.#deps
    const resumed = await databases.durableDb
      .updateTable('destinations')
      .set({
        ...{ is_paused: false, state: 'ok', state_text: '', failing_since: null },
        updated_at: sql`date_trunc('milliseconds', now())`,
      })
      .where('kind', '=', 'telegram')
      .where(sql<string>`settings->>'chat_id'`, '=', String(chatId))
      // Whose code is still to come stays as it is.
      .where('state', '<>', 'unconfirmed')
      .where((where) => where.or([where('is_paused', '=', true), where('state', '<>', 'ok')]))
      .returning(['id', 'name'])
      .execute()
    await catchUp(
      databases.durableDb,
      resumed.map(({ id }) => id),
    )
    return this.#told(resumed)
  }

  async #removed(chatId: number): Promise<void> {
    const { databases } = this.#deps
    const text = 'The bot was blocked or removed. Send it /start again.'
    const gone = await databases.durableDb
      .updateTable('destinations')
      .set({
        ...{ state: 'gone', state_text: text },
        updated_at: sql`date_trunc('milliseconds', now())`,
      })
      .where('kind', '=', 'telegram')
      .where(sql<string>`settings->>'chat_id'`, '=', String(chatId))
      .where('state', 'in', ['ok', 'failing'])
      .returning(['id', 'name', 'owner_id'])
      .execute()
    this.#told(gone)
    for (const each of gone)
      await noticeOwner(databases.durablePool, each, { title: goneTitle(each.name), text })
  }

  #told(rows: readonly { id: number; name: string }[]): string[] {
    for (const { id } of rows) this.#deps.changed(id)
    return rows.slice(0, 20).map(({ name }) => label(name))
  }

  /** In a group anybody can write to the bot, but what is in it is for those to decide who lead it. */
  async #mayDecide({ chat, from, sender_chat }: BotMessage, signal: AbortSignal): Promise<boolean> {
    if (chat.type === 'private' || chat.type === 'channel' || sender_chat?.id === chat.id) return true
    if (!from) return false
    const asked = { chat_id: chat.id, user_id: from.id }
    const { answer } = await callBot(this.#deps, this.#deps.base, 'getChatMember', asked, { signal })
    const status: unknown = Object(answer?.result).status
    return status === 'creator' || status === 'administrator'
  }

  async #say({ chat, is_topic_message, message_thread_id }: BotMessage, text: string, signal: AbortSignal) {
    const topic = is_topic_message ? { message_thread_id } : {}
    const { base } = this.#deps
    // Whoever isn't told can ask again, and what was done is done.
    await callBot(this.#deps, base, 'sendMessage', { chat_id: chat.id, text, ...topic }, { signal }).catch(
      () => {},
    )
  }
}

/** A name that somebody has given, within a text. */
const label = (name: string) => `“${quiet(cutTo(oneLine(name), 80))}”`
