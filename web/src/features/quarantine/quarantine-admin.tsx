import type { HeldRow } from '@dealdeck/contract/quarantine'
import { Button, Checkbox } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo, useRef, useState } from 'react'
import { errorMessage } from '../../platform/api-error.ts'
import { useMarketplace } from '../../platform/money.ts'
import { useNow } from '../../platform/now.ts'
import { ActionToast, useActionNote } from '../../ui/action-toast.tsx'
import icon from '../../ui/icon-button.module.css'
import { Notice } from '../../ui/notice.tsx'
import paged from '../../ui/paged-list.module.css'
import { PagedList } from '../../ui/paged-list.tsx'
import { SourceLabel } from '../../ui/source-label.tsx'
import { afterDecision, decide } from './api.ts'
import { DecideDialog, type Question } from './components/decide-dialog.tsx'
import { GroupActions } from './components/group-actions.tsx'
import { GroupChoice } from './components/group-choice.tsx'
import { HeldItem } from './components/held-item.tsx'
import { useHeldRows } from './live.ts'
import classes from './quarantine-admin.module.css'
import {
  alwaysText,
  type Decision,
  type Group,
  groupOf,
  type HeldFilter,
  outcomeText,
  rowsText,
} from './view.ts'

const route = getRouteApi('/admin-dashboard')

type SeenGroup = Group & { newest: number }

/** Rows that a rule has held: what would change, and letting them through or refusing them. The dashboard's Quarantine. */
export function QuarantineAdmin() {
  const queries = useQueryClient()
  const shop = useMarketplace()
  const now = useNow()
  const { source: asked } = route.useSearch()
  const [filter, setFilter] = useState<HeldFilter>(() =>
    /^\d{1,15}$/.test(asked ?? '') ? { source: Number(asked) } : {},
  )
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set())
  const [busy, setBusy] = useState<ReadonlySet<number>>(new Set())
  /** Decided here; the list is fetched again a moment later. */
  const [done, setDone] = useState<ReadonlySet<number>>(new Set())
  const [question, setQuestion] = useState<Question>()
  const [isDeciding, setDeciding] = useState(false)
  const { say, ...toast } = useActionNote()
  const heading = useRef<HTMLHeadingElement>(null)
  const listed = useRef<HTMLUListElement>(null)
  const list = useHeldRows(filter)

  const pages = list.data?.pages
  const rows = useMemo(() => {
    const items = pages?.flatMap((page) => page.items) ?? []
    // What has come meanwhile moves the others down a place.
    return [...new Map(items.map((row) => [row.id, row])).values()].filter(({ id }) => !done.has(id))
  }, [pages, done])
  const groups = pages?.[0]?.groups ?? []
  const group = groupOf(groups, filter)
  const total = pages?.[0]?.total ?? 0
  const newest = pages?.[0]?.items[0]?.id ?? 0
  const picked = rows.filter(({ id }) => chosen.has(id)).map(({ id }) => id)

  const choose = (next: HeldFilter) => {
    setFilter(next)
    setChosen(new Set())
  }
  /** Behind a dialog, which has to be gone before anything else takes the focus. */
  const focusHeading = () => requestAnimationFrame(() => heading.current?.focus())
  const focusOn = (id: number | undefined, control: string) =>
    requestAnimationFrame(() => {
      const next = listed.current?.querySelector<HTMLElement>(
        `[data-held="${id}"] [data-control="${control}"]`,
      )
      if (next) next.focus()
      else heading.current?.focus()
    })

  async function apply(how: Decision, ids: number[]): Promise<void> {
    setBusy((before) => new Set([...before, ...ids]))
    try {
      const outcome = await decide(how, { ids })
      // Which of them could not be read, and wait on, only the list says.
      if (outcome.unreadable === 0) setDone((before) => new Set([...before, ...ids]))
      setChosen((before) => new Set([...before].filter((id) => !ids.includes(id))))
      say({ text: outcomeText(how, outcome, shop.number) })
      void afterDecision(queries)
    } catch (error) {
      const what = how === 'release' ? 'let through' : 'refused'
      say({ text: `${rowsText(ids.length, shop.number)} not ${what}. ${errorMessage(error)}`, failed: true })
    } finally {
      setBusy((before) => new Set([...before].filter((id) => !ids.includes(id))))
    }
  }

  /** One row; the next one is at hand. */
  function decideOne(how: Decision, id: number, control: string) {
    if (busy.has(id)) return
    const at = rows.findIndex((row) => row.id === id)
    // What is being decided is about to go.
    const isLeft = (row: HeldRow) => row.id !== id && !busy.has(row.id)
    const next = rows.slice(at + 1).find(isLeft) ?? rows.slice(0, at).findLast(isLeft)
    void apply(how, [id])
    focusOn(next?.id, control)
  }

  function decideChosen(how: Decision) {
    const go = () => {
      void apply(how, picked)
      focusHeading()
    }
    if (how === 'release' || picked.length === 1) return go()
    setQuestion({ how, count: picked.length, what: 'These are the chosen ones.', always: undefined, go })
  }

  async function decideGroup(
    how: Decision,
    always: boolean,
    { source_id, rule, newest }: SeenGroup,
  ): Promise<void> {
    setDeciding(true)
    try {
      const outcome = await decide(how, { group: { source: source_id, rule, newest } }, always)
      say({ text: outcomeText(how, outcome, shop.number) })
    } catch (error) {
      say({ text: errorMessage(error), failed: true })
    } finally {
      setDeciding(false)
      setChosen(new Set())
      focusHeading()
      await afterDecision(queries)
    }
  }

  return (
    <section className={classes.quarantine} aria-label="Quarantine">
      {list.isRefetchError && <SourceLabel>Could not refresh. This may be out of date.</SourceLabel>}
      {pages && (
        <div>
          <h2 ref={heading} tabIndex={-1} className={classes.title}>
            {groups.length === 0
              ? 'Nothing waits'
              : `${rowsText(total, shop.number)} ${total === 1 ? 'waits' : 'wait'}`}
          </h2>
          {groups.length > 0 && (
            <p className={classes.lead}>
              A rule has held them, and nobody else sees them. What is refused stays out for as long as its
              price is the same.
              <span className={classes.keys}>
                {' '}
                Keys within a row: <kbd>L</kbd> lets through, <kbd>R</kbd> refuses, <kbd>J</kbd> and{' '}
                <kbd>K</kbd> go on and back.
              </span>
            </p>
          )}
        </div>
      )}
      {groups.length > 0 && (
        <>
          <GroupChoice groups={groups} chosen={filter} number={shop.number} onChoose={choose} />
          {group && (
            <GroupActions
              key={`${group.source_id} ${group.rule}`}
              group={group}
              isBusy={isDeciding || list.isPlaceholderData}
              number={shop.number}
              onDecide={(how, always) =>
                setQuestion({
                  how,
                  count: group.count,
                  what: `All that waits of ${group.source}: ${group.label}.`,
                  always: always ? alwaysText(how, group.source) : undefined,
                  // What comes while it is asked has not been seen.
                  go: () => void decideGroup(how, always, { ...group, newest }),
                })
              }
            />
          )}
          <p className={classes.lead} role="status">
            {isDeciding && 'Deciding …'}
          </p>
          <Checkbox
            className={classes.all}
            label={`Choose all ${shop.number(rows.length)} shown`}
            checked={rows.length > 0 && picked.length === rows.length}
            indeterminate={picked.length > 0 && picked.length < rows.length}
            onChange={({ currentTarget: { checked } }) =>
              setChosen(new Set(checked ? rows.map(({ id }) => id) : []))
            }
          />
        </>
      )}
      <PagedList
        list={list}
        items={pages && rows}
        failed="The quarantine can’t be loaded"
        waiting={{ rows: 3, height: '8rem', label: 'Loading held rows' }}
        empty={
          groups.length === 0 && (
            <Notice title="Nothing waits for you">
              Rows that look wrong, such as a price that fell by far, will wait here until you let them
              through.
            </Notice>
          )
        }
        older="Show older rows"
      >
        {(items) => (
          <ul
            ref={listed}
            className={paged.framed}
            aria-label="Held rows"
            data-old={list.isPlaceholderData || undefined}
          >
            {items.map((row, at) => (
              <HeldItem
                key={row.id}
                row={row}
                shop={shop}
                now={now}
                isChosen={chosen.has(row.id)}
                isBusy={busy.has(row.id)}
                onChoose={(isChosen) =>
                  setChosen((before) =>
                    isChosen
                      ? new Set([...before, row.id])
                      : new Set([...before].filter((id) => id !== row.id)),
                  )
                }
                onDecide={(how, control) => decideOne(how, row.id, control)}
                onStep={(step) => {
                  const next = items[at + step]
                  if (next) focusOn(next.id, 'choose')
                }}
              />
            ))}
          </ul>
        )}
      </PagedList>
      {picked.length > 0 && (
        <div className={classes.bar} role="toolbar" aria-label="Chosen rows">
          <span className={classes.picked}>{shop.number(picked.length)} chosen</span>
          <Button onClick={() => decideChosen('release')}>Let through</Button>
          <Button variant="default" onClick={() => decideChosen('refuse')}>
            Refuse
          </Button>
          <button
            type="button"
            className={icon.button}
            aria-label="Choose none"
            title="Choose none"
            onClick={() => setChosen(new Set())}
          >
            <IconX size={18} aria-hidden />
          </button>
        </div>
      )}
      {question && (
        <DecideDialog question={question} number={shop.number} onClose={() => setQuestion(undefined)} />
      )}
      <ActionToast {...toast} />
    </section>
  )
}
