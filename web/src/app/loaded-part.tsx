import { type ComponentType, lazy, useState } from 'react'

/** A part of the program that is fetched when it is needed. */
export type LoadedPart<Props extends object> = {
  /** Fetches it. Once that is done, `Part` draws it at once, without a pause in which something else stands there. */
  load(): Promise<void>
  /** What to draw of it now: itself, or what makes the nearest Suspense wait for it. */
  choose(): ComponentType<Props>
}

export function loadedPart<Props extends object>(
  fetchPart: () => Promise<ComponentType<Props>>,
): LoadedPart<Props> {
  let loaded: ComponentType<Props> | undefined
  // The library's own type of what it awaits takes any properties; these are the component's.
  const awaited = lazy(async () => ({ default: await fetchPart() })) as unknown as ComponentType<Props>
  return {
    async load() {
      loaded ??= await fetchPart()
    },
    choose: () => loaded ?? awaited,
  }
}

/** Draws a part with its properties. */
export function Part<Props extends object>({ of, props }: { of: LoadedPart<Props>; props: Props }) {
  // Chosen once: the same part under another type would lose what it remembers.
  const [Chosen] = useState(() => of.choose())
  return <Chosen {...props} />
}
