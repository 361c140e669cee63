import '@mantine/core/styles/Progress.layer.css'
import { Button, Progress } from '@mantine/core'
import { fileSize } from '../view.ts'
import classes from './upload-progress.module.css'

type UploadProgressProps = {
  dryRun: boolean
  /** Sent so far, 0 to 1; at 1 the server works on what it has. */
  share: number
  bytes: number
  onCancel: () => void
}

/** How far the file is on its way, then that the server merges it. */
export function UploadProgress({ dryRun, share, bytes, onCancel }: UploadProgressProps) {
  const sending = share < 1
  const doing = sending ? 'Sending the file' : dryRun ? 'Checking the rows…' : 'Merging…'
  return (
    <section className={classes.progress} aria-label="Progress">
      <div className={classes.line}>
        <p role="status" className={classes.doing}>
          {doing}
        </p>
        {sending && (
          <p className={classes.amount}>
            {fileSize(share * bytes)} of {fileSize(bytes)}
          </p>
        )}
      </div>
      <Progress
        value={share * 100}
        aria-label={doing}
        size="lg"
        radius="xl"
        striped={!sending}
        animated={!sending}
        transitionDuration={100}
      />
      <Button variant="default" onClick={onCancel} className={classes.cancel}>
        Cancel
      </Button>
    </section>
  )
}
