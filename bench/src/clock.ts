/** Milliseconds since 1970 with fractions; all processes of one machine agree on them to a small part of one. */
export const clock = (): number => performance.timeOrigin + performance.now()
