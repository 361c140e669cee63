import { lazyRouteComponent } from '@tanstack/react-router'

/** The program of a screen can't be had, for want of a connection or because a newer build replaced it. */
export class ScreenUnavailable extends Error {
  /** Fetches it again; answers whether it is here now. */
  readonly retry: () => Promise<boolean>

  constructor(retry: () => Promise<boolean>, cause: unknown) {
    super('This screen can not be loaded.', { cause })
    this.retry = retry
  }
}

/**
 * A route's component whose program is fetched when it is needed. What fails is thrown as `ScreenUnavailable`; the library
 * by itself would load the page anew, which without a connection ends at the browser's own error page.
 */
export function screenComponent<Name extends string>(
  fetchScreen: () => Promise<Record<Name, () => React.ReactNode>>,
  name: Name,
) {
  let isHere = false
  const fetchOrSay = async () => {
    try {
      const screen = await fetchScreen()
      isHere = true
      return screen
    } catch (cause) {
      throw new ScreenUnavailable(retry, cause)
    }
  }
  const component = lazyRouteComponent(fetchOrSay, name)
  async function retry() {
    await component.preload?.()
    return isHere
  }
  return component
}
