import { Button } from '@mantine/core'
import { IconBookmark, IconClipboardText, IconEraser, IconLink } from '@tabler/icons-react'
import { useOwnItems } from '../live.ts'
import classes from './screen-head.module.css'

type ScreenHeadProps = {
  /** The shop that is searched. */
  shop: string
  /** Nothing is set up, so there is nothing to share or to clear. */
  isEmpty: boolean
  /** Whether the page's address can hold it, and so be shared. */
  fitsAddress: boolean
  /** The filters that a pasted link could choose aren't there yet. */
  isLoading: boolean
  onPaste: () => void
  onPresets: () => void
  onShare: () => void
  onReset: () => void
}

/** The screen's title, and what can be done with a set-up as a whole. */
export function ScreenHead({
  shop,
  isEmpty,
  fitsAddress,
  isLoading,
  onPaste,
  onPresets,
  onShare,
  onReset,
}: ScreenHeadProps) {
  const { presets } = useOwnItems()
  return (
    <header className={classes.head}>
      <div>
        <h1 className={classes.title}>Link Generator</h1>
        <p className={classes.shops}>Searches {shop}</p>
      </div>
      <div className={classes.actions}>
        <Action Icon={IconClipboardText} label="Paste link" isOff={isLoading} onClick={onPaste} />
        <Action
          Icon={IconBookmark}
          label={presets.length === 0 ? 'Presets' : `Presets (${presets.length})`}
          onClick={onPresets}
        />
        <Action Icon={IconLink} label="Share" isOff={isEmpty || !fitsAddress} onClick={onShare} />
        <Action Icon={IconEraser} label="Reset" isOff={isEmpty} onClick={onReset} />
      </div>
    </header>
  )
}

type ActionProps = { Icon: typeof IconLink; label: string; isOff?: boolean; onClick: () => void }

function Action({ Icon, label, isOff = false, onClick }: ActionProps) {
  return (
    <Button
      variant="subtle"
      className={classes.action}
      leftSection={<Icon size={18} stroke={1.75} aria-hidden />}
      disabled={isOff}
      onClick={onClick}
    >
      {label}
    </Button>
  )
}
