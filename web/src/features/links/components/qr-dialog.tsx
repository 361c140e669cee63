import { Button, CloseButton } from '@mantine/core'
import encodeQR from 'qr'
import { useMemo } from 'react'
import { Dialog } from '../../../ui/dialog.tsx'
import classes from './qr-dialog.module.css'

type QrDialogProps = { url: string; words: string; onClose: () => void }

/** So many modules of quiet around the code, as its standard asks for. */
const quiet = 4

/** The link as a QR code, to take it from this screen to a phone. */
export function QrDialog({ url, words, onClose }: QrDialogProps) {
  const code = useMemo(() => qrPath(url), [url])
  return (
    <Dialog title="QR code" onClose={onClose}>
      <CloseButton className={classes.close} size={44} aria-label="Close" onClick={onClose} />
      {code === undefined ? (
        <p className={classes.words}>
          This link is too long for a QR code. Choose fewer filters, or copy the link instead.
        </p>
      ) : (
        <>
          <svg
            className={classes.code}
            viewBox={`0 0 ${code.size} ${code.size}`}
            shapeRendering="crispEdges"
            role="img"
            aria-label="QR code of the link"
          >
            <path d={code.path} />
          </svg>
          <p className={classes.words}>{words}</p>
        </>
      )}
      <Button fullWidth variant="default" onClick={onClose}>
        Close
      </Button>
    </Dialog>
  )
}

/** One path of all dark modules, or undefined when a code can't hold so much. */
function qrPath(text: string): { path: string; size: number } | undefined {
  try {
    const rows = encodeQR(text, 'raw', { ecc: 'low', border: quiet })
    const path = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
    return { path: path.join(''), size: rows.length }
  } catch {
    return undefined
  }
}
