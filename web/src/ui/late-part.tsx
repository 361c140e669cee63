import { type ComponentType, lazy, type ReactNode, Suspense } from 'react'

/** A part of a screen whose program is fetched when it is first shown. Until then, and where it can't be had, there is nothing. */
export function latePart<Props extends object>(
  fetch: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const Part = lazy(() =>
    fetch().then(
      (Here) => ({ default: (props: Props): ReactNode => <Here {...props} /> }),
      () => ({ default: () => null }),
    ),
  )
  return (props) => (
    <Suspense>
      <Part {...props} />
    </Suspense>
  )
}
