import { CloseButton } from '@mantine/core'
import { IconCheck, IconSearch } from '@tabler/icons-react'
import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  useCallback,
  useDeferredValue,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react'
import { keptRange } from './kept-range.ts'
import classes from './option-list.module.css'

/** Something that can be chosen; `folded` is its name as a search compares it. */
export type ListOption = { name: string; folded: string }

export type OptionListProps = {
  /** Names the list for screen readers. */
  label: string
  options: readonly ListOption[]
  chosen: ReadonlySet<string>
  /** At most one can be chosen, so there is no choosing all. */
  isSingle?: boolean
  /** Turns typed text into what `folded` is compared with. */
  fold: (text: string) => string
  number: (value: number) => string
  onToggle: (name: string) => void
  /** All options, or all that match what is searched. */
  onAll: (names: readonly string[] | 'all') => void
  onClear: () => void
  /** Whether the search has the focus at once; on a phone that would cover half the list with a keyboard. */
  startsInSearch: boolean
  onDone?: (() => void) | undefined
}

const rowRem = 2.75
const step = 10

/**
 * Options to search, choose and clear, of which only the rows in sight exist. Arrow keys go through them, Enter (in the
 * list Space too) chooses.
 */
export function OptionList(props: OptionListProps) {
  const { label, options, chosen, isSingle = false, fold, number, onToggle, onAll, onClear } = props
  const { startsInSearch, onDone } = props
  const [text, setText] = useState('')
  const [active, setActive] = useState(-1)
  const list = useRef<HTMLDivElement>(null)
  const search = useRef<HTMLInputElement>(null)
  const id = useId()
  // What was chosen before stands first, and stays there while it is open.
  const [first] = useState(chosen)
  const ordered = useMemo(
    () =>
      first.size === 0
        ? options
        : [
            ...options.filter(({ name }) => first.has(name)),
            ...options.filter(({ name }) => !first.has(name)),
          ],
    [options, first],
  )
  const words = useDeferredValue(text)
  const shown = useMemo(() => matching(ordered, fold(words)), [ordered, words, fold])

  const begin = useCallback(
    () => (startsInSearch ? search.current : list.current)?.focus({ preventScroll: true }),
    [startsInSearch],
  )
  useEffect(begin, [begin])

  const [rowHeight] = useState(
    () => rowRem * Number.parseFloat(getComputedStyle(document.documentElement).fontSize),
  )
  const rows = useVirtualizer({
    count: shown.length,
    getScrollElement: () => list.current,
    estimateSize: () => rowHeight,
    overscan: 6,
    useFlushSync: false,
    rangeExtractor: (range) => keptRange(range, active),
  })

  /** Where a key has led in a list that isn't shown yet. */
  const unseen = useRef(-1)
  useEffect(() => {
    if (unseen.current >= 0 && unseen.current < shown.length) rows.scrollToIndex(unseen.current)
    unseen.current = -1
  }, [shown, rows])

  function move(to: number, length: number) {
    const next = Math.max(0, Math.min(length - 1, to))
    setActive(next)
    if (words === text) rows.scrollToIndex(next)
    else unseen.current = next
    // The list may have grown below the screen since it got the focus.
    list.current?.scrollIntoView({ block: 'nearest' })
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return
    const isInList = event.target === list.current
    // On the buttons Enter is a press of theirs.
    const chooses =
      event.key === 'Enter' ? isInList || event.target === search.current : event.key === ' ' && isInList
    // Keys mean what was typed, also where the list has yet to follow: a wrong option would be chosen.
    const found = words === text ? shown : matching(ordered, fold(text))
    const moves: Record<string, number> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + step,
      PageUp: active - step,
      ...(isInList && { Home: 0, End: found.length - 1 }),
    }
    const to = moves[event.key]
    const option = found[active]
    if (to !== undefined) move(to, found.length)
    else if (chooses && option) onToggle(option.name)
    else if (event.key === 'Escape' && text !== '') type('')
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  function type(next: string) {
    setText(next)
    setActive(next.trim() === '' ? -1 : 0)
    unseen.current = -1
    rows.scrollToOffset(0)
  }

  const isSearching = words.trim() !== ''
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the search and the list inside
    <div className={classes.box} onKeyDown={onKeyDown}>
      <div className={classes.search}>
        <IconSearch size={18} stroke={1.75} aria-hidden />
        <input
          ref={search}
          className={classes.input}
          type="text"
          role="combobox"
          aria-label={`Search ${label}`}
          aria-expanded={shown.length > 0}
          aria-controls={shown.length > 0 ? id : undefined}
          aria-autocomplete="list"
          aria-activedescendant={shown[active] ? `${id}-${active}` : undefined}
          placeholder="Search"
          autoComplete="off"
          enterKeyHint="search"
          maxLength={200}
          value={text}
          onChange={(event) => type(event.currentTarget.value)}
        />
        {text !== '' && (
          <CloseButton
            aria-label="Clear search"
            onClick={() => {
              type('')
              search.current?.focus()
            }}
          />
        )}
      </div>
      <div className={classes.actions}>
        {!isSingle && (
          <button
            type="button"
            className={classes.action}
            disabled={shown.length === 0}
            onClick={() => onAll(isSearching ? shown.map(({ name }) => name) : 'all')}
          >
            Select all
          </button>
        )}
        <button
          type="button"
          className={classes.action}
          disabled={chosen.size === 0}
          onClick={() => {
            onClear()
            // Disabled, the button loses the focus, and Esc would be heard nowhere.
            begin()
          }}
        >
          {isSingle ? 'Clear' : 'Clear all'}
        </button>
      </div>
      {shown.length > 0 ? (
        <div
          ref={list}
          id={id}
          className={classes.list}
          role="listbox"
          aria-label={label}
          aria-multiselectable={!isSingle}
          aria-activedescendant={shown[active] ? `${id}-${active}` : undefined}
          tabIndex={0}
        >
          <div role="presentation" className={classes.space} style={{ height: rows.getTotalSize() }}>
            {rows.getVirtualItems().map(({ index, start, size }) => {
              const option = shown[index]
              if (option === undefined) return null
              const isChosen = chosen.has(option.name)
              return (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the list's own keys choose the active option
                // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus, aria-activedescendant points here
                <div
                  key={option.name}
                  id={`${id}-${index}`}
                  role="option"
                  aria-selected={isChosen}
                  aria-posinset={index + 1}
                  aria-setsize={shown.length}
                  className={classes.option}
                  data-active={index === active || undefined}
                  data-single={isSingle || undefined}
                  style={{ height: size, transform: `translateY(${start}px)` }}
                  // The focus stays where it is: in the search, or in the list.
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={() => {
                    setActive(index)
                    onToggle(option.name)
                  }}
                >
                  <span className={classes.mark}>
                    {isChosen && <IconCheck size={14} stroke={3} aria-hidden />}
                  </span>
                  <span className={classes.name} title={option.name}>
                    {option.name}
                  </span>
                </div>
              )
            })}
          </div>
        </div>
      ) : (
        <p className={classes.nothing}>
          {isSearching ? `Nothing has “${words.trim()}” in its name.` : 'There are none yet.'}
        </p>
      )}
      <div className={classes.foot}>
        <span role="status">
          {number(chosen.size)} of {number(options.length)} selected
        </span>
        {onDone && (
          <button type="button" className={classes.done} onClick={onDone}>
            Done
          </button>
        )}
      </div>
    </div>
  )
}

/** The options that have all words of a folded text in their names. */
function matching(options: readonly ListOption[], text: string): readonly ListOption[] {
  const wanted = text.split(/\s+/u).filter(Boolean)
  return wanted.length === 0
    ? options
    : options.filter(({ folded }) => wanted.every((word) => folded.includes(word)))
}
