import type { Destination } from '@dealdeck/contract/deliveries'
import { Button } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconSend } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { errorMessage } from '../../../platform/api-error.ts'
import { laterApi } from '../../../platform/later-client.ts'
import classes from './try-destination.module.css'

/** Sends the newest matching deal there, the way all are sent, and says beside the button what the service answered. */
export function TryDestination({
  destination,
  isFirst = false,
}: {
  destination: Destination
  isFirst?: boolean
}) {
  const test = useMutation(laterApi.deliveries.test.mutationOptions())
  const { is_sent, text } = test.data ?? { is_sent: false, text: errorMessage(test.error) }
  const isAnswered = test.isSuccess || test.isError
  // What is wrong stands on the card as well, once the server has noted it.
  const isSaid = !is_sent && text !== '' && destination.state_text.includes(text.replace(/\.$/, ''))
  const Icon = is_sent ? IconCircleCheck : IconAlertTriangle
  return (
    <div className={classes.try}>
      <Button
        variant={isFirst ? 'filled' : 'default'}
        className={classes.button}
        leftSection={<IconSend size={16} aria-hidden />}
        aria-label={`Test ${destination.name}`}
        loading={test.isPending}
        onClick={() => test.mutate({ id: destination.id })}
      >
        Test
      </Button>
      <p className={classes.answer} role="status" data-good={is_sent || undefined}>
        {isAnswered && !test.isPending && (
          <>
            <Icon size={18} aria-hidden />
            <span>{isSaid ? 'Not sent.' : text}</span>
          </>
        )}
      </p>
    </div>
  )
}
