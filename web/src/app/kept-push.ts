import { useEffect } from 'react'
import { readPushKey } from '../features/deliveries/api.ts'
import { laterClient } from '../platform/later-client.ts'
import { keepPush, onPushReplaced } from '../platform/push.ts'

/** Once a page: a browser that has dropped its subscription, or replaced it, is pushed to again. */
let isKept = false

/** Hands the subscription of this browser to the server where it is another one now. */
export function useKeptPush(): void {
  useEffect(() => {
    const keep = () => {
      const renew = (
        id: number,
        { settings, secrets }: { settings: object; secrets: Record<string, string> },
      ) => laterClient.deliveries.change({ id, settings: { ...settings }, secrets })
      // The next start tries again.
      keepPush(readPushKey, renew).catch(() => undefined)
    }
    if (!isKept) keep()
    isKept = true
    return onPushReplaced(keep)
  }, [])
}
