/** Makes something when it is first asked for, and only then: a browser takes a hundredth of a second for its first date format. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
