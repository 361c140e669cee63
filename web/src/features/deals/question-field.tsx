import { useDebouncedValue } from '@mantine/hooks'
import { IconHelp } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { client } from '../../platform/client.ts'
import type { Marketplace } from '../../platform/money.ts'
import { LateDialog } from '../../ui/late-dialog.tsx'
import type { SearchField } from '../../ui/search-box.tsx'
import spoken from '../../ui/unseen.module.css'
import classes from './question-field.module.css'
import { readText } from './view/asking.ts'
import type { Asker } from './view/filters.ts'
import {
  type Completing,
  completingAt,
  marksOf,
  mostNamesOfWord,
  nameOffer,
  type Offer,
  withOffer,
} from './view/offers.ts'

type QuestionFieldProps = { field: SearchField; asker: Asker; shop: Marketplace }

const helpDialog = { fetch: async () => (await import('./question-help.tsx')).QuestionHelp }
/** Long enough that a server isn't asked for every letter, in milliseconds. */
const typingPauseMs = 150
/** So long a count of names is good, in milliseconds. */
const currentForMs = 30_000

/**
 * What the search box has beside its text, laid over it once it has come: the text's parts are marked, and what can follow is
 * offered below, for keys and fingers. The field itself stays as it is.
 */
export function QuestionField({ field, asker, shop }: QuestionFieldProps) {
  const { input, text, write } = field
  const id = useId()
  const [caret, setCaret] = useState<number>()
  const [active, setActive] = useState(-1)
  const [isHelping, setHelping] = useState(false)
  const known = useRef('')
  const parsed = readText(text, asker)
  const completing =
    caret === undefined ? undefined : completingAt(text, parsed, Math.min(caret, text.length))
  const { offers, missing } = useOffers(completing, shop)
  const isOpen = offers.length > 0
  const chosen = isOpen ? Math.min(active, offers.length - 1) : -1

  const choose = (offer: Offer) => {
    if (!completing || !input.current) return
    const next = withOffer(text, completing, offer)
    known.current = next.text
    flushSync(() => {
      write(next.text)
      setCaret(offer.isOpen ? next.caret : undefined)
      setActive(-1)
    })
    input.current.focus()
    input.current.setSelectionRange(next.caret, next.caret)
  }

  const onKey = (event: KeyboardEvent) => {
    if (event.isComposing) return
    const offer = offers[chosen]
    const close = () => setCaret(undefined)
    if (event.key === 'ArrowDown' && !isOpen) return setCaret(input.current?.selectionStart ?? text.length)
    if (!isOpen) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    // One place more than offers: none of them, as the text stands.
    if (step !== undefined) setActive(((chosen + 1 + step + offers.length + 1) % (offers.length + 1)) - 1)
    else if (event.key === 'Enter' && offer) choose(offer)
    else if (event.key === 'Escape') close()
    else {
      if (event.key === 'Enter' || event.key === 'Tab') close()
      return
    }
    // The field's own meaning of these keys comes with the next press.
    event.preventDefault()
    event.stopPropagation()
  }
  const latest = useRef(onKey)
  latest.current = onKey

  // Offers are for who types, not for whom a press elsewhere has changed the text.
  useEffect(() => {
    if (text === known.current) return
    known.current = text
    if (document.activeElement !== input.current) return
    setCaret(input.current?.selectionStart ?? undefined)
    setActive(-1)
  }, [input, text])

  useEffect(() => {
    const element = input.current
    if (!element) return
    const onKeyDown = (event: KeyboardEvent) => latest.current(event)
    const onMove = () => setCaret((was) => (was === undefined ? was : (element.selectionStart ?? undefined)))
    const onLeave = () => setCaret(undefined)
    // React hears of events at the page's root, so what listens here is first.
    element.addEventListener('keydown', onKeyDown)
    element.addEventListener('keyup', onMove)
    element.addEventListener('click', onMove)
    element.addEventListener('blur', onLeave)
    return () => {
      element.removeEventListener('keydown', onKeyDown)
      element.removeEventListener('keyup', onMove)
      element.removeEventListener('click', onMove)
      element.removeEventListener('blur', onLeave)
    }
  }, [input])

  useEffect(() => {
    const attributes = {
      ...{ role: 'combobox', 'aria-autocomplete': 'list', 'aria-haspopup': 'listbox', spellcheck: 'false' },
      'aria-expanded': String(isOpen),
      ...(isOpen && { 'aria-controls': `${id}-offers` }),
      ...(chosen >= 0 && { 'aria-activedescendant': `${id}-${chosen}` }),
    }
    for (const [name, value] of Object.entries(attributes)) input.current?.setAttribute(name, value)
    if (!isOpen) input.current?.removeAttribute('aria-controls')
    if (chosen < 0) input.current?.removeAttribute('aria-activedescendant')
    document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: 'nearest' })
  }, [input, id, isOpen, chosen])

  return (
    <>
      <Marks field={field} asker={asker} />
      {text === '' && (
        <button
          type="button"
          className={classes.help}
          aria-label="How to ask for deals"
          title="How to ask for deals"
          onClick={() => setHelping(true)}
        >
          <IconHelp size={18} stroke={1.75} aria-hidden />
        </button>
      )}
      {isOpen && (
        <div id={`${id}-offers`} className={classes.offers} role="listbox" aria-label="Suggestions">
          {offers.map((offer, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the field has the keys and the focus
            <div
              key={offer.text}
              id={`${id}-${index}`}
              role="option"
              className={classes.offer}
              aria-selected={index === chosen}
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => choose(offer)}
            >
              <span className={classes.text}>{offer.text}</span>
              <span className={classes.hint}>{offer.hint}</span>
            </div>
          ))}
        </div>
      )}
      <p className={missing === undefined ? spoken.unseen : classes.missing} role="status">
        {isOpen ? `${shop.number(offers.length)} suggestions` : missing}
      </p>
      {isHelping && (
        <LateDialog
          of={helpDialog}
          props={{
            onClose: () => setHelping(false),
            onAsk: (asked: string) => {
              setHelping(false)
              write(asked)
            },
          }}
        />
      )}
    </>
  )
}

/** What is offered at once, and the names that the server has; or why there is nothing. */
function useOffers(completing: Completing | undefined, shop: Marketplace) {
  const found = [useNames('brand', completing, shop), useNames('category', completing, shop)]
  const offers = completing ? [...completing.offers, ...found.flatMap((one) => one.offers)] : []
  return { offers, missing: offers.length === 0 ? found.find(({ missing }) => missing)?.missing : undefined }
}

/** Names of a field with how many deals each finds, after a pause in typing. */
function useNames(field: 'brand' | 'category', completing: Completing | undefined, shop: Marketplace) {
  const asked = completing?.names.find((one) => one.field === field)
  const prefix = asked?.prefix ?? ''
  const [settled] = useDebouncedValue(prefix, typingPauseMs)
  const { data } = useQuery({
    queryKey: ['deals', 'suggestions', field, prefix],
    queryFn: ({ signal }) => client.deals.suggest({ field, prefix }, { signal }),
    enabled: asked !== undefined && settled === prefix,
    staleTime: currentForMs,
    retry: false,
  })
  if (!asked || !data) return { offers: [] }
  const { before } = asked
  const values = data.values.slice(0, before === '' ? undefined : mostNamesOfWord)
  const offers = values.map(({ value, count }) => {
    const found = `${shop.number(count)}${data.has_more ? '+' : ''}`
    return nameOffer(before, value, `${found} ${count === 1 ? 'deal' : 'deals'}`)
  })
  const missing = prefix === '' ? `No deal names its ${field}.` : `No ${field} begins with that.`
  return before === '' ? { offers, missing } : { offers }
}

/** The text once more, invisible over the field, with its parts marked. */
function Marks({ field: { input, text }, asker }: Pick<QuestionFieldProps, 'field' | 'asker'>) {
  const area = useRef<HTMLDivElement>(null)
  const marks = marksOf(text, readText(text, asker))
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text may have moved what is seen of it
  useEffect(() => {
    const element = input.current
    const over = area.current
    if (!element || !over) return
    const follow = () => {
      const { font, letterSpacing, paddingLeft, paddingRight, borderLeftWidth } = getComputedStyle(element)
      const left = Number.parseFloat(paddingLeft) + Number.parseFloat(borderLeftWidth)
      const width = element.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)
      Object.assign(over.style, { font, letterSpacing, left: `${left}px`, width: `${width}px` })
      over.style.lineHeight = `${element.offsetHeight}px`
      over.scrollLeft = element.scrollLeft
    }
    follow()
    const size = new ResizeObserver(follow)
    size.observe(element)
    element.addEventListener('scroll', follow)
    return () => {
      size.disconnect()
      element.removeEventListener('scroll', follow)
    }
  }, [input, text])
  return (
    <div ref={area} className={classes.marks} aria-hidden>
      {marks.map(({ text, kind }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a stretch is nothing but its place
        <span key={index} className={classes[kind]}>
          {text}
        </span>
      ))}
    </div>
  )
}
