import { useRouter } from '@tanstack/react-router'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { deviceKeys } from './device-keys.ts'

/** Where somebody was in a long list: pixels from the top, and how many items were loaded. */
export type ScrollPlace = { offset: number; items: number }

const keptPlaces = 50

/** The place kept for an entry of the browser's history, in this tab; it survives a reload. */
export function readPlace(entry: string): ScrollPlace | undefined {
  return readPlaces().find(([key]) => key === entry)?.[1]
}

/** Keeps the place of a history entry; the oldest of many are forgotten. */
export function keepPlace(entry: string, place: ScrollPlace): void {
  const others = readPlaces().filter(([key]) => key !== entry)
  try {
    sessionStorage.setItem(
      deviceKeys.scrollPositions,
      JSON.stringify([...others, [entry, place]].slice(-keptPlaces)),
    )
  } catch {
    // Without storage the list simply starts at its top.
  }
}

function readPlaces(): [string, ScrollPlace][] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(deviceKeys.scrollPositions) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isEntry) : []
  } catch {
    return []
  }
}

function isEntry(entry: unknown): entry is [string, ScrollPlace] {
  if (!Array.isArray(entry) || typeof entry[0] !== 'string') return false
  const place: Partial<Record<keyof ScrollPlace, unknown>> = Object(entry[1])
  return isCount(place.offset) && isCount(place.items)
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && value >= 0
}

/** The place in a list that an entry of the history was left at; the top of its first page is no place to return to. */
export function readPlaceBelow(entry: string, pageSize: number): ScrollPlace | undefined {
  const place = readPlace(entry)
  return place && (place.offset > 0 || place.items > pageSize) ? place : undefined
}

/** The same, and brought back by scrolling there, unless the reader has left it behind. */
export function usePlace(entry: string, pageSize: number) {
  const [leftEntry, setLeftEntry] = useState<string>()
  const kept = useMemo(() => readPlaceBelow(entry, pageSize), [entry, pageSize])
  const place = leftEntry === entry ? undefined : kept
  const router = useRouter()
  // The router restores scrolling too, but not where the list was left when something scrolled it on the way out.
  useEffect(() => {
    if (place === undefined) return
    return router.subscribe('onRendered', ({ toLocation }) => {
      if (toLocation.state.__TSR_key === entry) window.scrollTo({ top: place.offset, behavior: 'instant' })
    })
  }, [router, entry, place])
  return { place, leavePlace: () => setLeftEntry(entry) }
}

const pauseMs = 200

/**
 * Keeps the window's place for an entry of the history, by the router's key, up to date while somebody scrolls.
 * `items` is how many are loaded.
 */
export function useKeepPlace(entry: string, items: number): void {
  const loaded = useRef(items)
  useEffect(() => {
    loaded.current = items
  }, [items])
  // A layout effect, because it ends before the next screen's shorter page scrolls the window.
  useLayoutEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let offset: number | undefined
    const keep = () => {
      clearTimeout(timer)
      timer = undefined
      if (offset !== undefined) keepPlace(entry, { offset, items: loaded.current })
    }
    const onScroll = () => {
      // On the way to another entry whatever scrolls is no longer the reader.
      if (history.state?.__TSR_key !== undefined && history.state.__TSR_key !== entry) return
      offset = window.scrollY
      timer ??= setTimeout(keep, pauseMs)
    }
    window.addEventListener('scroll', onScroll, { passive: true })
    window.addEventListener('pagehide', keep)
    return () => {
      window.removeEventListener('scroll', onScroll)
      window.removeEventListener('pagehide', keep)
      keep()
    }
  }, [entry])
}
