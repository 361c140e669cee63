import { defaultStringifySearch } from '@tanstack/react-router'

/**
 * The query of an address: what the router makes of it by itself, but a list of texts repeats its name (`brand=A&brand=B`)
 * instead of standing there as JSON. The router's own reading takes both.
 */
export function stringifySearch(search: Record<string, unknown>): string {
  const single: Record<string, unknown> = {}
  const lists: [string, string][] = []
  for (const [name, value] of Object.entries(search)) {
    if (!isTexts(value) || value.length === 0) single[name] = value
    // A list of one looks like a text, so it is written as one.
    else if (value.length === 1) single[name] = value[0]
    else lists.push(...value.map((text): [string, string] => [name, text]))
  }
  const parts = [defaultStringifySearch(single).slice(1), new URLSearchParams(lists).toString()].filter(
    Boolean,
  )
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string')
}
