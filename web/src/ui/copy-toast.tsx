import { IconAlertTriangle, IconCheck } from '@tabler/icons-react'
import type { Copied } from '../platform/clipboard.ts'
import classes from './copy-toast.module.css'
import frame from './toast.module.css'

type CopyToastProps = {
  /** Undefined while there is nothing to say. */
  copied: Copied | undefined
  /** Such as 'Failed to copy'. */
  failure: string
}

/** Says over the content what came of a copy, to those who look and to those who listen. */
export function CopyToast({ copied, failure }: CopyToastProps) {
  return (
    <div className={frame.region} role="status">
      {copied?.ok && (
        <p className={`${frame.toast} ${classes.toast}`}>
          <IconCheck size={18} aria-hidden />
          <span>Copied</span> <code className={classes.text}>{copied.text}</code>
        </p>
      )}
      {copied?.ok === false && (
        <p className={`${frame.toast} ${classes.toast}`} data-failed>
          <IconAlertTriangle size={18} aria-hidden />
          <span>{failure}</span>
        </p>
      )}
    </div>
  )
}
