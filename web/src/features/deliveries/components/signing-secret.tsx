import { Button } from '@mantine/core'
import { IconCopy } from '@tabler/icons-react'
import { useCopy } from '../../../platform/clipboard.ts'
import { CopyToast } from '../../../ui/copy-toast.tsx'
import classes from './confirm.module.css'

const copiedForMs = 3_000

/** The secret with which a receiver checks that a message is ours; it is shown this once. */
export function SigningSecret({ secret }: { secret: string }) {
  const { copied, copy } = useCopy(copiedForMs)
  return (
    <section className={classes.secret} aria-label="Signing secret">
      <p className={classes.once}>Copy the signing secret now, it is not shown again.</p>
      <code className={classes.code}>{secret}</code>
      <Button
        className={classes.button}
        leftSection={<IconCopy size={16} aria-hidden />}
        onClick={() => void copy('secret', secret)}
      >
        Copy secret
      </Button>
      <CopyToast copied={copied} success="Secret copied" failure="Failed to copy" />
    </section>
  )
}
