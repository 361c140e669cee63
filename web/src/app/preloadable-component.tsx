import { type ComponentType, lazy, useState } from 'react'

/** A component whose code is fetched when it is needed, or before. */
export type PreloadableComponent<Props extends object> = {
  /** Fetches it. Once that is done, `Preloadable` draws it at once, without a pause in which something else stands there. */
  load(): Promise<void>
  /** What to draw of it now: itself, or what makes the nearest Suspense wait for it. */
  choose(): ComponentType<Props>
}

export function preloadableComponent<Props extends object>(
  fetchComponent: () => Promise<ComponentType<Props>>,
): PreloadableComponent<Props> {
  let loaded: ComponentType<Props> | undefined
  // The library's own type of what it awaits takes any properties; these are the component's.
  const awaited = lazy(async () => ({ default: await fetchComponent() })) as unknown as ComponentType<Props>
  return {
    async load() {
      loaded ??= await fetchComponent()
    },
    choose: () => loaded ?? awaited,
  }
}

/** Draws such a component with its properties. */
export function Preloadable<Props extends object>({
  of,
  props,
}: {
  of: PreloadableComponent<Props>
  props: Props
}) {
  // Chosen once: the same component under another type would lose what it remembers.
  const [Chosen] = useState(() => of.choose())
  return <Chosen {...props} />
}
