import { useEffect, useRef, useState } from 'react'

type Draft<T> = { value: T; part: string; pauseMs: number }

/** Long enough that a browser doesn't refuse so many changes of its address, in milliseconds. */
const typingPauseMs = 200

export type ChangeDebounced<T> = (value: T, part: string, how: 'typed' | 'chosen') => void

/**
 * A value that lives in the address, and here a moment before. `write` puts it there, or leaves it when it can't be
 * there. Successive changes of the same `part` are one step of the browser's history. Another address than one's own
 * (Back, a link) counts at once. Values are compared as JSON.
 */
export function useDebouncedSearchParams<T>(
  address: T,
  write: (value: T, replace: boolean) => void,
): readonly [T, ChangeDebounced<T>] {
  const [draft, setDraft] = useState<Draft<T>>()
  const [seen, setSeen] = useState(address)
  const written = useRef<string>(undefined)
  const writtenPart = useRef<string>(undefined)
  const latest = useRef(write)
  latest.current = write

  let current = draft
  if (address !== seen) {
    setSeen(address)
    const here = JSON.stringify(address)
    // What was typed on while an own address was on its way stays.
    if (current && (here !== written.current || here === JSON.stringify(current.value))) {
      current = undefined
      setDraft(undefined)
    }
  }

  useEffect(() => {
    if (JSON.stringify(address) !== written.current) writtenPart.current = undefined
  }, [address])

  useEffect(() => {
    if (draft === undefined) return
    const timer = setTimeout(() => {
      written.current = JSON.stringify(draft.value)
      latest.current(draft.value, writtenPart.current === draft.part)
      writtenPart.current = draft.part
    }, draft.pauseMs)
    return () => clearTimeout(timer)
  }, [draft])

  const change: ChangeDebounced<T> = (value, part, how) =>
    setDraft({ value, part, pauseMs: how === 'typed' ? typingPauseMs : 0 })
  return [current ? current.value : address, change]
}
