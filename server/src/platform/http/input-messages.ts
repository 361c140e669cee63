import { z } from 'zod'

/** The whole of a body: what it is not is said in a sentence of its own. */
export const mustBeObject = 'must be an object'
export const missing = 'is missing'

const kinds: Record<string, string> = {
  string: 'must be a text',
  number: 'must be a number',
  int: 'must be a whole number',
  boolean: 'must be true or false',
  array: 'must be a list',
  object: mustBeObject,
  record: mustBeObject,
}

const formats: Record<string, string> = {
  datetime: 'must be a time such as 2026-01-31T12:00:00Z',
  url: 'must be an address such as https://example.com',
  email: 'must be an address such as name@example.com',
}

/**
 * Schemas that say nothing of their own of a mistake say it in the words of this: what it must be, behind the field's name. The library's name
 * types of a programming language, and no field.
 */
export function describeMistakes(): void {
  z.config({ customError: describe })
}

function describe(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return missing
      return kinds[issue.expected] ?? `must be of the type ${issue.expected}`
    case 'invalid_value':
      if (issue.input === undefined) return missing
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.join(', ')}`
    case 'too_big':
      return sized(issue, issue.maximum, issue.inclusive ? 'at most' : 'less than')
    case 'too_small':
      if (issue.origin === 'string' && issue.minimum === 1) return 'must not be empty'
      return sized(issue, issue.minimum, issue.inclusive ? 'at least' : 'more than')
    case 'invalid_format':
      return formats[issue.format] ?? 'is not of the right form'
    case 'invalid_union':
      if (issue.input === undefined) return missing
      return Array.isArray(issue.options)
        ? `must be one of ${issue.options.join(', ')}`
        : 'is of no form that is known'
    default:
      return 'is not valid'
  }
}

/** Which length or number something must have, by what it is. */
function sized(
  { origin, exact }: { origin: string; exact?: boolean },
  size: number | bigint,
  comparison: string,
): string {
  const limit = `${exact ? 'exactly' : comparison} ${size}`
  if (origin === 'array') return `must hold ${limit}`
  return origin === 'string' ? `must be ${limit} characters long` : `must be ${limit}`
}
