import { Button, Group, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { sessionEnded } from '../features/session/api.ts'
import { ApiError, errorMessage } from '../platform/api-error.ts'
import { client } from '../platform/client.ts'
import { Dialog } from '../ui/dialog.tsx'

/** Asks before signing out. The session counts as ended only when the server has ended it. */
export function SignOutDialog({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient()
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string>()

  async function signOut() {
    setBusy(true)
    setFailure(undefined)
    try {
      await client.session.signOut()
      sessionEnded(queryClient)
    } catch (error) {
      // Already over, which is what was wanted.
      if (error instanceof ApiError && error.status === 401) return sessionEnded(queryClient)
      setFailure(`You are still signed in. ${errorMessage(error)}`)
      setBusy(false)
    }
  }

  return (
    <Dialog title="Sign out" onClose={onClose}>
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
