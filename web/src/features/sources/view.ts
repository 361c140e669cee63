import type { Source, SourceRun, SourceState } from '@dealdeck/contract/sources'

/** Which view of the sources an address asks for. */
export type SourcesPlace =
  | { view: 'list' }
  /** `kind`: chosen already. */
  | { view: 'add'; kind: string | undefined }
  | { view: 'source'; id: number; isEdited: boolean }

/** Reads the address's `source`: 'new', 'new-feed', '12' or '12-edit'; anything else is the list. */
export function placeOf(text = ''): SourcesPlace {
  const isNew = /^new(?:-(\w+))?$/.exec(text)
  if (isNew) return { view: 'add', kind: isNew[1] }
  const [, id, edit] = /^(\d{1,15})(-edit)?$/.exec(text) ?? []
  return id ? { view: 'source', id: Number(id), isEdited: edit !== undefined } : { view: 'list' }
}

/** What a state is shown as. Silent: nothing came for much longer than usual, though nothing has failed. */
export type Look = SourceState | 'silent'
export type Tone = 'good' | 'calm' | 'warning' | 'danger' | 'quiet'

export const lookLabels: Record<Look, string> = {
  new: 'Not asked yet',
  running: 'Running now',
  ok: 'Works',
  waiting: 'Waits',
  not_eligible: 'Not eligible',
  failing: 'Failing',
  paused: 'Paused',
  silent: 'Silent',
}

export const lookTones: Record<Look, Tone> = {
  new: 'calm',
  running: 'calm',
  ok: 'good',
  waiting: 'calm',
  not_eligible: 'warning',
  failing: 'danger',
  paused: 'quiet',
  silent: 'warning',
}

/** What a source is shown as: one that is asked again while it fails is still failing. */
export function lookOf({ state, is_paused, is_silent, failing_since }: Source): Look {
  if (is_paused) return 'paused'
  if (state === 'failing' || (state === 'running' && failing_since !== null)) return 'failing'
  if (is_silent && (state === 'ok' || state === 'waiting')) return 'silent'
  return state
}

const urgency: Look[] = ['failing', 'not_eligible', 'silent']

/** The sources as they are listed: those that need somebody first, paused ones last, within these by name. */
export function inOrder(sources: readonly Source[]): Source[] {
  const rank = (source: Source) => {
    const look = lookOf(source)
    const at = urgency.indexOf(look)
    return at >= 0 ? at : look === 'paused' ? urgency.length + 1 : urgency.length
  }
  return sources.toSorted((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name))
}

/** Whether all is well, in one line: 'All 12 sources run', '11 of 12 sources run, 1 waits', '2 of 12 need you: 1 failing, 1 silent'. */
export function summaryOf(sources: readonly Source[], number: (value: number) => string) {
  const looks = sources.map(lookOf)
  const count = (look: Look) => looks.filter((other) => other === look).length
  const wrong = urgency.filter((look) => count(look) > 0)
  const paused = count('paused')
  const pausedText = paused > 0 ? `${number(paused)} paused` : ''
  const total = sources.length
  if (wrong.length === 0) {
    const asked = total - paused
    if (asked === 0) return { isWell: true, text: paused === 1 ? 'The source is paused' : 'All are paused' }
    // It needs nobody yet, but may have failed just now.
    const waiting = count('waiting')
    const all = asked === 1 ? 'The source' : `All ${number(asked)} sources`
    const some = `${number(asked - waiting)} of ${number(asked)} sources run`
    const does = (verb: string) => `${all} ${verb}${asked === 1 ? 's' : ''}`
    const text =
      waiting === 0
        ? does('run')
        : waiting === asked
          ? does('wait')
          : `${some}, ${number(waiting)} wait${waiting === 1 ? 's' : ''}`
    return { isWell: true, text: [text, pausedText].filter(Boolean).join(', ') }
  }
  const troubled = wrong.reduce((sum, look) => sum + count(look), 0)
  const parts = wrong.map((look) => `${number(count(look))} ${lookLabels[look].toLowerCase()}`)
  const which = total === 1 ? 'The source needs you' : `${number(troubled)} of ${number(total)} need you`
  return { isWell: false, text: `${which}: ${parts.join(', ')}${pausedText && `; ${pausedText}`}` }
}

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]

/** How long until an ISO time: 'now', 'in 12 min', 'in 3 h', 'in 2 days'. */
function untilTime(time: string, now: number): string {
  const left = Date.parse(time) - now
  if (left < minute / 2) return 'now'
  if (left < hour) return `in ${Math.round(left / minute)} min`
  if (left < 2 * day) return `in ${Math.round(left / hour)} h`
  return `in ${Math.round(left / day)} days`
}

/** A time in a sentence of the server's. */
const written = /\d{4}-\d\d-\d\dT\d\d:\d\dZ/g

/** A sentence of the server's with its times as the clock here has them; those of another day with their date. */
export function withLocalTimes(text: string, locale: string, now: number): string {
  return text.replace(written, (found) => {
    const time = new Date(found)
    const isToday = time.toDateString() === new Date(now).toDateString()
    return time.toLocaleString(locale, { timeStyle: 'short', ...(!isToday && { dateStyle: 'medium' }) })
  })
}

/** When a source is asked next, in words. */
export function nextRunOf({ is_paused, state, next_run_at }: Source, now: number): string {
  if (is_paused) return 'Paused'
  if (state === 'running') return 'now'
  return next_run_at === null ? 'Not planned' : untilTime(next_run_at, now)
}

const runLabels: Record<SourceRun['state'], string> = {
  running: 'Running',
  done: 'Done',
  unchanged: 'Nothing changed',
  waiting: 'Waited',
  not_eligible: 'Not eligible',
  failed: 'Failed',
}
export const runLabelOf = ({ state }: SourceRun): string => runLabels[state]

export const runLooks: Record<SourceRun['state'], Look> = {
  running: 'running',
  done: 'ok',
  unchanged: 'ok',
  waiting: 'waiting',
  not_eligible: 'not_eligible',
  failed: 'failing',
}

type RunCounts = Pick<
  SourceRun,
  'received' | 'created' | 'updated' | 'rejected' | 'held' | 'ended' | 'unchanged' | 'refused_before'
>

/** What came of a run in counts that say something: '34 rows, 3 new, 1 held'. */
export function countsOf(run: RunCounts, number: (value: number) => string): string {
  const counts: [count: number, text: string][] = [
    [run.created, 'new'],
    [run.updated, 'changed'],
    [run.ended, 'ended'],
    [run.rejected, 'refused'],
    [run.held, 'held'],
    [run.refused_before, 'left out as refused before'],
  ]
  const rows = `${number(run.received)} ${run.received === 1 ? 'row' : 'rows'}`
  const said = counts.filter(([count]) => count > 0).map(([count, text]) => `${number(count)} ${text}`)
  return [rows, ...said].join(', ')
}

/** What the last run of a source has brought, as short as a list takes it. */
export function lastResultOf(run: SourceRun | null, number: (value: number) => string): string {
  if (run === null) return 'Nothing yet'
  return run.state === 'done' || (run.state === 'running' && run.received > 0)
    ? countsOf(run, number)
    : runLabelOf(run)
}

/** How long a run took: '0.4 s', '12 s', '3 min'; '' while it runs. */
export function durationOf({ started_at, finished_at }: SourceRun): string {
  if (finished_at === null) return ''
  const ms = Math.max(0, Date.parse(finished_at) - Date.parse(started_at))
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`
  return ms < 2 * minute ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / minute)} min`
}

/** The counts of days as one path of bars, in a box of 14 × 24 units with a base of one unit. */
export function barsOf(counts: readonly number[]): string {
  const most = Math.max(1, ...counts)
  return counts
    .map((count, at) => {
      const height = count === 0 ? 1 : 2 + Math.round((count / most) * 22)
      return `M${at * 6} 24v-${height}h5v${height}z`
    })
    .join('')
}

/** The same in words: '128 new deals in 14 days, 12 today, at most 30 a day'. */
export function barsText(counts: readonly number[], number: (value: number) => string): string {
  const sum = counts.reduce((total, count) => total + count, 0)
  if (sum === 0) return `No new deals in ${counts.length} days`
  const deals = sum === 1 ? '1 new deal' : `${number(sum)} new deals`
  return `${deals} in ${counts.length} days, ${number(counts.at(-1) ?? 0)} today, at most ${number(Math.max(...counts))} a day`
}

export type Progress = { phase: 'asking' | 'reading' | 'storing'; rows: number }

/** How far a run is, in words. */
export function progressText({ phase, rows }: Progress, number: (value: number) => string): string {
  if (phase === 'asking') return 'Asking …'
  const count = `${number(rows)} ${rows === 1 ? 'row' : 'rows'}`
  return phase === 'reading' ? `Reading, ${count} so far …` : `Storing ${count} …`
}

/** Reads an event of the stream; null where it isn't about a source. */
export function readEvent(data: unknown): { id: number; progress: Progress | null } | null {
  const { source_id: id, progress }: { source_id?: unknown; progress?: unknown } = Object(data)
  if (typeof id !== 'number') return null
  const { phase, rows }: { phase?: unknown; rows?: unknown } = Object(progress)
  const isKnown = phase === 'asking' || phase === 'reading' || phase === 'storing'
  return { id, progress: isKnown ? { phase, rows: Number(rows) || 0 } : null }
}
