import { CloseButton, UnstyledButton } from '@mantine/core'
import { IconArrowUp } from '@tabler/icons-react'
import classes from './new-deals-toast.module.css'

type NewDealsToastProps = {
  /** '3 new deals', or nothing to say. */
  line: string | undefined
  onShow: () => void
  onDismiss: () => void
}

/** Says over the list that there are new deals, instead of moving it. The region always exists, so that it is read out. */
export function NewDealsToast({ line, onShow, onDismiss }: NewDealsToastProps) {
  return (
    <div className={classes.region} role="status" aria-live="polite">
      {line !== undefined && (
        <div className={classes.toast}>
          <UnstyledButton className={classes.show} onClick={onShow}>
            <IconArrowUp size={18} stroke={2} aria-hidden />
            <span>
              <strong>New Deals Available!</strong> <span className={classes.line}>{line}</span>
            </span>
          </UnstyledButton>
          <CloseButton className={classes.dismiss} aria-label="Not now" onClick={onDismiss} />
        </div>
      )}
    </div>
  )
}
