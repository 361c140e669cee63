import { beforeEach, describe, expect, it, vi } from 'vitest'
import { keepPlace, readPlace } from './scroll-place.ts'

let stored: Record<string, string> = {}

beforeEach(() => {
  stored = {}
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored[key] ?? null,
    setItem: (key: string, value: string) => {
      stored[key] = value
    },
  })
  return () => vi.unstubAllGlobals()
})

describe('the place in a list', () => {
  it('is kept for each entry of the history', () => {
    keepPlace('a', { offset: 100, items: 50 })
    keepPlace('b', { offset: 0, items: 10_000 })
    keepPlace('a', { offset: 250.5, items: 100 })
    expect(readPlace('a')).toEqual({ offset: 250.5, items: 100 })
    expect(readPlace('b')).toEqual({ offset: 0, items: 10_000 })
    expect(readPlace('c')).toBeUndefined()
  })

  it('is forgotten once fifty newer ones are kept', () => {
    for (let entry = 0; entry <= 50; entry++) keepPlace(`entry ${entry}`, { offset: entry, items: 50 })
    expect(readPlace('entry 0')).toBeUndefined()
    expect(readPlace('entry 1')).toEqual({ offset: 1, items: 50 })
  })

  it('starts at the top when what is stored makes no sense or storage is forbidden', () => {
    for (const text of ['{', '3', '[["a"]]', '[["a",{"offset":-1,"items":2}]]', '[null]']) {
      stored['dealdeck.places'] = text
      expect(readPlace('a')).toBeUndefined()
    }
    vi.stubGlobal('sessionStorage', undefined)
    expect(() => keepPlace('a', { offset: 1, items: 1 })).not.toThrow()
    expect(readPlace('a')).toBeUndefined()
  })
})
