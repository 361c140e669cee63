import { IconAlertTriangle, IconCheck } from '@tabler/icons-react'
import type { Copied } from '../platform/clipboard.ts'
import classes from './copy-toast.module.css'
import frame from './toast.module.css'

type CopyToastProps = {
  /** Undefined while there is nothing to say. */
  copied: Copied | undefined
  /** Such as 'Link copied'. */
  success: string
  failure: string
}

/** Says over the content what came of a copy, to those who look and to those who listen. */
export function CopyToast({ copied, success, failure }: CopyToastProps) {
  return (
    <div className={frame.region} role="status">
      {copied?.ok && (
        <p className={`${frame.toast} ${classes.toast}`}>
          <IconCheck size={18} aria-hidden />
          <span>{success}</span>
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
