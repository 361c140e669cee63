import { Button } from '@mantine/core'
import { Dialog } from './dialog.tsx'
import classes from './late-part.module.css'
import { type Fetched, useFetched } from './late-part.tsx'

/** Opens a dialog whose program is fetched now. Where that can't be had it says so, and what stands behind it stays as it is. */
export function LateDialog<Props extends { onClose: () => void }>({
  of,
  props,
}: {
  of: Fetched<Props>
  props: Props
}) {
  const { Here, isLost, load } = useFetched(of)
  if (Here) return <Here {...props} />
  if (!isLost) return null
  return (
    <Dialog title="This can’t be loaded" onClose={props.onClose}>
      <p className={classes.lost}>
        Please check your connection and try again. Nothing on the screen is lost.
      </p>
      <div className={classes.actions}>
        <Button variant="default" onClick={props.onClose}>
          Close
        </Button>
        <Button onClick={() => void load().catch(() => undefined)}>Try Again</Button>
      </div>
    </Dialog>
  )
}
