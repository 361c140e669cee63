import { Button, Group, Text } from '@mantine/core'
import { Dialog } from '../../../ui/dialog.tsx'
import { type Decision, rowsText } from '../view.ts'

/** Many rows that are about to be decided. */
export type Question = {
  how: Decision
  count: number
  /** What they have in common, such as 'of Mugs: price fell'. */
  what: string
  /** Said where it is decided for what comes from now on as well. */
  always: string | undefined
  go: () => void
}

type DecideDialogProps = { question: Question; number: (value: number) => string; onClose: () => void }

/** Asks before many rows are decided, since no decision can be taken back. */
export function DecideDialog({ question, number, onClose }: DecideDialogProps) {
  const { how, count, what, always, go } = question
  const rows = rowsText(count, number)
  return (
    <Dialog title={how === 'release' ? `Let ${rows} through?` : `Refuse ${rows}?`} onClose={onClose}>
      <Text c="dimmed">
        {what}{' '}
        {how === 'release'
          ? 'They become deals that everybody sees.'
          : 'The same prices of the same items are left out from now on, without asking.'}{' '}
        This can’t be undone. {always}
      </Text>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button
          {...(how === 'refuse' && { color: 'red' })}
          onClick={() => {
            onClose()
            go()
          }}
        >
          {how === 'release' ? 'Let through' : 'Refuse'}
        </Button>
      </Group>
    </Dialog>
  )
}
