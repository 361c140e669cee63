import type { Source } from '@dealdeck/contract/sources'
import { Button, Group, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { ApiError, errorMessage } from '../../../platform/api-error.ts'
import { laterApi } from '../../../platform/later-client.ts'
import { Dialog } from '../../../ui/dialog.tsx'

type RemoveDialogProps = {
  source: Source
  number: (value: number) => string
  onRemoved: () => void
  onClose: () => void
}

/** Asks before a source is removed. */
export function RemoveDialog({ source, number, onRemoved, onClose }: RemoveDialogProps) {
  const remove = useMutation(laterApi.sources.remove.mutationOptions())
  const { id, name, held } = source
  const press = () =>
    remove.mutate(
      { id },
      {
        onSuccess: onRemoved,
        onError: (error) => {
          // Somebody else was faster, which is as good.
          if (error instanceof ApiError && error.code === 'NOT_FOUND') onRemoved()
        },
      },
    )
  return (
    <Dialog title={`Remove ${name}?`} onClose={onClose}>
      <Text c="dimmed">
        It is not asked any more, and its history goes. Its deals stay.
        {held > 0 &&
          ` ${held === 1 ? 'The row that waits' : `The ${number(held)} rows that wait`} in quarantine will go with it.`}
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
