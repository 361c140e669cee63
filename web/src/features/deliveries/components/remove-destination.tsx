import type { Destination } from '@dealdeck/contract/deliveries'
import { Button, Group, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { ApiError, errorMessage } from '../../../platform/api-error.ts'
import { laterApi } from '../../../platform/later-client.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { useIsShown } from '../../../ui/use-is-shown.ts'

type RemoveDestinationProps = {
  destination: Destination
  onRemoved: () => void
  /** Called with what went wrong after the dialog was closed. */
  onLateProblem: (text: string) => void
  onClose: () => void
}

/** Asks before a destination is removed. */
export function RemoveDestination({
  destination,
  onRemoved,
  onLateProblem,
  onClose,
}: RemoveDestinationProps) {
  const { id, name } = destination
  const isShown = useIsShown()
  const remove = useMutation(laterApi.deliveries.remove.mutationOptions())
  const press = () =>
    // The dialog may be closed before there is an answer, which counts all the same.
    remove.mutateAsync({ id }).then(onRemoved, (error) => {
      // It was removed elsewhere, which is as good.
      if (error instanceof ApiError && error.code === 'NOT_FOUND') onRemoved()
      else if (!isShown()) onLateProblem(`${name} was not removed. ${errorMessage(error)}`)
    })
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
