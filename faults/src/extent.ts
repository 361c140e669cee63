/** How much the tests do: set by `npm run test:faults` from its options. */
export const extent = {
  /** The short form, part of `npm test`: everything once, little of it. */
  isShort: process.env.FAULTS_EXTENT === 'short',
  /** How long the load lasts, in milliseconds. */
  soakMs: Number(process.env.FAULTS_SOAK_MS || 60_000),
  /** Deals of the installation where one member is unfair to others. */
  deals: Number(process.env.FAULTS_DEALS || 500_000),
  /** A checkout of the release before, ready to run; undefined where there is none. */
  previous: process.env.FAULTS_PREVIOUS || undefined,
}

/** A number for the short form and one for the full one. */
export function either<T>(short: T, full: T): T {
  return extent.isShort ? short : full
}
