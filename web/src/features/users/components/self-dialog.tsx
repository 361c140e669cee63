import { Button, Group, Text } from '@mantine/core'
import { Dialog } from '../../../ui/dialog.tsx'

type SelfDialogProps = { how: 'deactivate' | 'reject'; onConfirm: () => void; onClose: () => void }

const titles = { deactivate: 'Deactivate your own account', reject: 'Reject your own account' }
const actions = { deactivate: 'Deactivate', reject: 'Reject' }

/** Asks before an administrator locks themselves out. */
export function SelfDialog({ how, onConfirm, onClose }: SelfDialogProps) {
  return (
    <Dialog title={titles[how]} onClose={onClose}>
      <Text c="dimmed">
        You will be signed out at once, and only another administrator can let you in again.
      </Text>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button color="red" onClick={onConfirm}>
          {actions[how]}
        </Button>
      </Group>
    </Dialog>
  )
}
