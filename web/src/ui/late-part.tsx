import { Button } from '@mantine/core'
import { type ComponentType, type ReactNode, startTransition, useCallback, useEffect, useState } from 'react'
import { later } from '../platform/later.ts'
import { orReload } from '../platform/recovery.ts'
import classes from './late-part.module.css'

/** A component whose program is fetched when it is first drawn. */
export type Fetched<Props> = { fetch: () => Promise<ComponentType<Props>>; here?: ComponentType<Props> }

const atOnce = (change: () => void) => change()

/**
 * Fetches such a component; `draw` makes the change that draws it. While that fails it is tried again after growing pauses, once the device
 * is online, and by `load`.
 */
export function useFetched<Props>(
  of: Fetched<Props>,
  draw = atOnce,
): {
  Here: ComponentType<Props> | undefined
  isLost: boolean
  load: () => Promise<void>
} {
  const [state, setState] = useState('loading')
  const load = useCallback(async () => {
    try {
      of.here ??= await of.fetch()
      draw(() => setState('here'))
    } catch (error) {
      setState('lost')
      throw error
    }
  }, [of, draw])
  useEffect(() => {
    if (of.here) return
    const { run, stop } = later(0, load)
    run()
    return stop
  }, [of, load])
  return { Here: of.here, isLost: state === 'lost', load }
}

/**
 * A part of a screen whose program is fetched when it is first shown. Until then there is nothing. Where it can't be had a line
 * says so, beginning with the words of `lost`, and offers to try again; or there is what else `lost` draws of what is known.
 */
export function latePart<Props extends object>(
  fetch: () => Promise<ComponentType<Props>>,
  lost: string | ((props: Props) => ReactNode),
): ComponentType<Props> {
  const of: Fetched<Props> = { fetch }
  return (props) => {
    // Several come at once while a screen is first drawn, and none of them is more urgent than what its reader does.
    const { Here, isLost, load } = useFetched(of, startTransition)
    if (Here) return <Here {...props} />
    if (!isLost) return null
    const said = typeof lost === 'function' ? lost(props) : lost
    if (typeof said !== 'string') return said
    return (
      <p role="status" className={classes.lost}>
        {said} can’t be loaded.{' '}
        <Button variant="default" size="compact-sm" onClick={() => void orReload(load)}>
          Try Again
        </Button>
      </p>
    )
  }
}
