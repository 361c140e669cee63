import { defaultStringifySearch } from '@tanstack/react-router'

/**
 * The query of an address: what the router makes of it by itself, but a list of texts repeats its name (`brand=A&brand=B`)
 * instead of standing there as JSON. The router's own reading takes both.
 */
export function stringifySearch(search: Record<string, unknown>): string {
  const parts = Object.entries(search).flatMap(([name, value]) => {
    if (isTexts(value) && value.length > 1) {
      return [new URLSearchParams(value.map((text) => [name, text])).toString()]
    }
    // A list of one looks like a text, so it is written as one.
    const single = isTexts(value) && value.length === 1 ? value[0] : value
    return single === undefined ? [] : [defaultStringifySearch({ [name]: single }).slice(1)]
  })
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string')
}
