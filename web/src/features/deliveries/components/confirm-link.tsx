import type { Destination } from '@dealdeck/contract/deliveries'
import { Button } from '@mantine/core'
import { IconCopy, IconExternalLink } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { errorMessage } from '../../../platform/api-error.ts'
import { useCopy } from '../../../platform/clipboard.ts'
import { laterApi } from '../../../platform/later-client.ts'
import { useNow } from '../../../platform/now.ts'
import { CopyToast } from '../../../ui/copy-toast.tsx'
import { putDestination } from '../api.ts'
import classes from './confirm.module.css'

const copiedForMs = 3_000

/** The code that links a destination once it is sent to the bot, by a press or by hand. That it was is seen by itself. */
export function ConfirmLink({ destination: { id, link } }: { destination: Destination }) {
  const queries = useQueryClient()
  const now = useNow()
  const { copied, copy } = useCopy(copiedForMs)
  const renew = useMutation(
    laterApi.deliveries.renew.mutationOptions({
      onSuccess: ({ signing_secret: _, ...renewed }) => putDestination(queries, renewed),
    }),
  )
  const isOver = link === null || Date.parse(link.expires_at) <= now
  const command = `/start ${link?.code ?? ''}`
  return (
    <div className={classes.step}>
      {link === null || isOver ? (
        <p className={classes.text} role="status">
          Its code has run out: have a new one made.
        </p>
      ) : (
        <>
          {link.url !== null && (
            <Button
              component="a"
              href={link.url}
              target="_blank"
              rel="noopener noreferrer"
              size="md"
              className={classes.wide}
              leftSection={<IconExternalLink size={18} aria-hidden />}
            >
              Open and press Start
            </Button>
          )}
          <p className={classes.lead} role="status">
            {link.url !== null && 'Press Start in the chat that opens, then come back. '}
            This page goes on by itself once the bot has heard from you.
          </p>
          <details className={classes.more} open={link.url === null}>
            <summary>It doesn’t open, or it is for a group or a channel</summary>
            <p className={classes.text}>
              Send the bot this message. For a group or a channel, make the bot an administrator there first,
              and send it there.
            </p>
            <div className={classes.entry}>
              <code className={classes.code}>{command}</code>
              <Button
                variant="default"
                className={classes.button}
                leftSection={<IconCopy size={16} aria-hidden />}
                onClick={() => void copy('code', command)}
              >
                Copy
              </Button>
            </div>
          </details>
        </>
      )}
      <Button
        variant={isOver ? 'filled' : 'default'}
        className={classes.button}
        loading={renew.isPending}
        onClick={() => renew.mutate({ id })}
      >
        New code
      </Button>
      <p role="alert" className={classes.problem}>
        {renew.isError && errorMessage(renew.error)}
      </p>
      <CopyToast copied={copied} success="Message copied" failure="Failed to copy" />
    </div>
  )
}
