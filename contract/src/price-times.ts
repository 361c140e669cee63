/**
 * How long a price counts as known after it was seen last, in milliseconds: a source that is read daily may miss one time. The same
 * price seen again later than that is a point of its own. Verdicts, stored points and the chart go by it.
 */
export const priceGraceMs = 48 * 60 * 60_000

/** Prices of a deal that are listed at most, the newest. What is older counts in its figures, by the day. */
export const mostPricesListed = 1_000
