import type { Destination } from '@dealdeck/contract/deliveries'
import { Button, Group, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { ApiError, errorMessage } from '../../../platform/api-error.ts'
import { laterApi } from '../../../platform/later-client.ts'
import { Dialog } from '../../../ui/dialog.tsx'

type RemoveDestinationProps = { destination: Destination; onRemoved: () => void; onClose: () => void }

/** Asks before a destination is removed. */
export function RemoveDestination({ destination: { id, name }, onRemoved, onClose }: RemoveDestinationProps) {
  const remove = useMutation(laterApi.deliveries.remove.mutationOptions())
  const press = () =>
    remove.mutate(
      { id },
      {
        onSuccess: onRemoved,
        onError: (error) => {
          // It was removed elsewhere, which is as good.
          if (error instanceof ApiError && error.code === 'NOT_FOUND') onRemoved()
        },
      },
    )
  return (
    <Dialog title={`Remove ${name}?`} onClose={onClose}>
      <Text c="dimmed">
        Nothing is sent there any more. Its bells, its target prices and its part of the log go with it.
      </Text>
      <Text c="red" role="alert">
        {remove.isError && errorMessage(remove.error)}
      </Text>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button color="red" loading={remove.isPending} onClick={press}>
          Remove
        </Button>
      </Group>
    </Dialog>
  )
}
