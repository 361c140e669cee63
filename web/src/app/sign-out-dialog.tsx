import { Button, Group, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { leaveAddress, sessionEnded } from '../features/session/api.ts'
import { ApiError, errorMessage } from '../platform/api-error.ts'
import { client } from '../platform/client.ts'
import { turnOffPush } from '../platform/push.ts'
import { Dialog } from '../ui/dialog.tsx'

/** So long the server may take: meanwhile the dialog stays. */
const patienceMs = 15_000

type SignOutDialogProps = {
  /** Told while the server is asked, and that it refused. */
  onLeaving: (leaving: boolean) => void
  onClose: () => void
}

/** Asks before signing out. The session counts as ended only when the server has ended it. */
export function SignOutDialog({ onLeaving, onClose }: SignOutDialogProps) {
  const queryClient = useQueryClient()
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string>()

  async function signOut() {
    setBusy(true)
    setFailure(undefined)
    onLeaving(true)
    try {
      await client.session.signOut(undefined, { signal: AbortSignal.timeout(patienceMs) })
      forgetBrowser()
      // The gate takes this dialog away with the screens, which must not come back for a moment and ask for anything.
      sessionEnded(queryClient)
      leaveAddress()
    } catch (error) {
      // Already over, which is what was wanted; the gate has heard of it by itself.
      if (error instanceof ApiError && error.status === 401) {
        forgetBrowser()
        return leaveAddress()
      }
      setBusy(false)
      onLeaving(false)
      setFailure(`You are still signed in. ${errorMessage(error)}`)
    }
  }

  return (
    // Whoever closed it while the server is asked would take themselves for signed out.
    <Dialog title="Sign out" onClose={() => !busy && onClose()}>
      <Text c="dimmed">Are you sure you want to sign out?</Text>
      <Text role="alert" c="var(--dd-danger-text)" size="sm" mt="xs">
        {failure}
      </Text>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={onClose} disabled={busy}>
          Cancel
        </Button>
        <Button onClick={() => void signOut()} loading={busy}>
          Sign Out
        </Button>
      </Group>
    </Dialog>
  )
}

/** Ends pushes to this browser: whoever uses it next is not shown what another waits for. Nobody waits for its push service. */
function forgetBrowser(): void {
  turnOffPush().catch(() => undefined)
}
