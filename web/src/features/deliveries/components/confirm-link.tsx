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
  return (
    <div className={classes.step}>
      {link === null || isOver ? (
        <p className={classes.text} role="status">
          This code has run out.
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
          <p className={classes.text}>
            {link.url === null ? 'Send this to the bot:' : 'Or send this to the bot yourself:'}
          </p>
          <div className={classes.entry}>
            <code className={classes.code}>{link.code}</code>
            <Button
              variant="default"
              className={classes.button}
              leftSection={<IconCopy size={16} aria-hidden />}
              onClick={() => void copy('code', link.code)}
            >
              Copy code
            </Button>
          </div>
          <p className={classes.text} role="status">
            Waiting for the bot to hear from you. This page goes on by itself.
          </p>
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
      <CopyToast copied={copied} success="Code copied" failure="Failed to copy" />
    </div>
  )
}
