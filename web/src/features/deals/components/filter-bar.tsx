import type { DealCount } from '@dealdeck/contract/deals'
import type { Sort } from '@dealdeck/query/fields'
import { ActionIcon, Badge, Button, NativeSelect, Switch } from '@mantine/core'
import { IconAdjustmentsHorizontal, IconChevronDown, IconRefresh } from '@tabler/icons-react'
import { useId, useRef, useState } from 'react'
import { deviceKeys } from '../../../platform/device-keys.ts'
import type { Marketplace } from '../../../platform/money.ts'
import { readStored, writeStored } from '../../../platform/storage.ts'
import { AmountInput } from '../../../ui/amount-input.tsx'
import { latePart } from '../../../ui/late-part.tsx'
import { SearchBox } from '../../../ui/search-box.tsx'
import { SourceLabel } from '../../../ui/source-label.tsx'
import { type Controls, noControls } from '../view/controls.ts'
import { longestText, parseAmount, wholeAmount } from '../view/filters.ts'
import type { FeedQuestion } from '../view/question.ts'
import classes from './filter-bar.module.css'
import { FilterChips } from './filter-chips.tsx'

const QuestionField = latePart(
  async () => (await import('../question-field.tsx')).QuestionField,
  () => null,
)
const QuestionNotes = latePart(
  async () => (await import('../question-notes.tsx')).QuestionNotes,
  'What is understood',
)
const ContradictedNote = latePart(
  async () => (await import('../question-notes.tsx')).ContradictedNote,
  'How many are hidden',
)

type FilterBarProps = {
  question: FeedQuestion
  shop: Marketplace
  /** How many deals pass the filters, and how many there are; undefined while unknown. */
  matching: DealCount | undefined
  total: number | undefined
  refreshing: boolean
  onRefresh: () => void
}

const sorts: { value: Sort; label: string }[] = [
  { value: 'newest', label: 'Newest first' },
  { value: 'updated', label: 'Last changed' },
  { value: 'best', label: 'Under typical' },
  { value: 'discount', label: 'Biggest discount' },
  { value: 'price', label: 'Lowest price' },
  { value: 'discord', label: 'Last posted to Discord' },
]

/** Steps to choose from, and what is asked for where that is none of them. */
function stepsWith(value: Controls['off'], steps: readonly number[], label: (step: number) => string) {
  const isOther = typeof value === 'number' && !steps.includes(value)
  const all = isOther ? [...steps, value].sort((a, b) => a - b) : steps
  const choices = all.map((step) => ({ value: String(step), label: label(step) }))
  return [
    { value: '', label: 'Any' },
    ...choices,
    ...(typeof value === 'string' ? [{ value, label: value }] : []),
  ]
}

const readStep = (value: string) => (value === '' ? null : Number(value))

function startsOpen(): boolean {
  const stored = readStored(deviceKeys.filtersOpen)
  return typeof stored === 'boolean'
    ? stored
    : window.matchMedia('(min-width: 48em) and (min-height: 30em)').matches
}

/** Search, refresh and the filters, which fold away; whether they do is kept on the device. */
export function FilterBar(props: FilterBarProps) {
  const { question, shop, matching, total, refreshing, onRefresh } = props
  const { text, asker, language, isLost, change } = question
  const [open, setOpen] = useState(startsOpen)
  const [resets, setResets] = useState(0)
  const toggle = useRef<HTMLButtonElement>(null)
  const panelId = useId()
  const controls: Controls = {
    ...(language?.controlsOf(text, asker) ?? { ...noControls, max: asker.defaultMax }),
    ...question.changing,
  }
  const active = language?.activeControls(controls, asker.defaultMax) ?? 0
  const isCrossed = controls.min !== null && controls.max !== null && controls.min > controls.max
  const ownLimit = { at: -1, label: `≤ ${wholeAmount(asker.defaultMax, shop.money)}` }
  const chips = language?.chipsOf(text, asker, shop.money) ?? (text === '' ? [ownLimit] : [])

  function show(next: boolean) {
    setOpen(next)
    writeStored(deviceKeys.filtersOpen, next)
  }

  return (
    <section
      className={classes.bar}
      aria-label="Search and filters"
      onFocus={question.begin}
      onPointerEnter={question.begin}
    >
      <div className={classes.first}>
        <div className={classes.search}>
          <SearchBox
            label="Search deals"
            value={text}
            maxLength={longestText}
            draft={question.draft}
            onSearch={(typed) => void question.ask(typed, 'text')}
            over={(field) => language && <QuestionField field={field} asker={asker} shop={shop} />}
          />
        </div>
        <Button
          ref={toggle}
          variant="default"
          className={classes.toggle}
          leftSection={<IconAdjustmentsHorizontal size={18} stroke={1.75} aria-hidden />}
          rightSection={
            <IconChevronDown
              size={16}
              className={classes.chevron}
              data-open={open || undefined}
              aria-hidden
            />
          }
          aria-expanded={open}
          aria-controls={panelId}
          disabled={isLost}
          onClick={() => show(!open)}
        >
          <span className={classes.word}>Filters</span>
          {active > 0 && (
            <Badge className={classes.count} circle={active < 10} aria-label={`${active} active`}>
              {active}
            </Badge>
          )}
        </Button>
        <ActionIcon
          variant="default"
          size={36}
          aria-label="Refresh deals"
          title="Refresh deals"
          loading={refreshing}
          onClick={onRefresh}
        >
          <IconRefresh size={18} stroke={1.75} aria-hidden />
        </ActionIcon>
      </div>
      <FilterChips
        chips={chips}
        shop={shop}
        matching={matching}
        total={total}
        onRemove={(at) => void question.remove(at)}
      >
        {asker.hidesContradicted && (
          <ContradictedNote text={text} asker={asker} shop={shop} onAsk={(next) => void question.ask(next)} />
        )}
      </FilterChips>
      {language && text !== '' && (
        <QuestionNotes text={text} asker={asker} shop={shop} onAsk={(next) => void question.ask(next)} />
      )}
      {isLost && (
        <SourceLabel>
          Filters can’t be loaded right now. What the search says still counts.{' '}
          <Button variant="default" size="compact-sm" onClick={() => void question.loadAgain()}>
            Try Again
          </Button>
        </SourceLabel>
      )}
      {open && !isLost && (
        // biome-ignore lint/a11y/noStaticElementInteractions: Esc anywhere in the panel folds it away
        <div
          id={panelId}
          className={classes.panel}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return
            show(false)
            toggle.current?.focus()
          }}
        >
          <NativeSelect
            label="Sort by"
            className={classes.sort}
            data={sorts}
            value={controls.sort}
            onChange={(event) => {
              const chosen = sorts.find(({ value }) => value === event.currentTarget.value)
              if (chosen) void change({ sort: chosen.value })
            }}
          />
          <div className={classes.range} key={resets}>
            <AmountInput
              label={`Min price (${shop.currency})`}
              placeholder={controls.otherPrice ?? '0'}
              value={controls.min}
              parse={parseAmount}
              onAmount={(min) => void change({ min: min || null }, 'min')}
            />
            <AmountInput
              label={`Max price (${shop.currency})`}
              placeholder={controls.otherPrice ?? 'No limit'}
              value={controls.max}
              parse={parseAmount}
              error={isCrossed ? 'Below the min price' : undefined}
              onAmount={(max) => void change({ max }, 'max')}
            />
          </div>
          <div className={classes.least}>
            <NativeSelect
              label="At least off"
              data={stepsWith(controls.off, [0, 10, 25, 50, 75, 90], (step) =>
                step === 0 ? 'Discounted' : `${step}%`,
              )}
              value={controls.off ?? ''}
              onChange={({ currentTarget: { value } }) => void change({ off: readStep(value) })}
            />
            <NativeSelect
              label="Rated at least"
              data={stepsWith(controls.rating, [3, 4, 4.5], (step) => `${step} stars`)}
              value={controls.rating ?? ''}
              onChange={({ currentTarget: { value } }) => void change({ rating: readStep(value) })}
            />
          </div>
          <div className={classes.switches}>
            <Switch
              label="Prime only"
              checked={controls.prime}
              onChange={(event) => void change({ prime: event.currentTarget.checked })}
            />
            <Switch
              label="Today only"
              checked={controls.today}
              onChange={(event) => void change({ today: event.currentTarget.checked })}
            />
          </div>
          <Button
            variant="subtle"
            className={classes.reset}
            disabled={active === 0 && controls.sort === 'newest'}
            onClick={() => {
              setResets(resets + 1)
              void change({ ...noControls, max: asker.defaultMax })
            }}
          >
            Reset
          </Button>
        </div>
      )}
    </section>
  )
}
