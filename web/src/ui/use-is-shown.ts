import { useCallback, useEffect, useRef } from 'react'

/** Tells whether the component is still on the screen: what comes of a dialog that was closed meanwhile has to be said elsewhere. */
export function useIsShown(): () => boolean {
  const isShown = useRef(true)
  useEffect(() => {
    isShown.current = true
    return () => {
      isShown.current = false
    }
  }, [])
  return useCallback(() => isShown.current, [])
}
