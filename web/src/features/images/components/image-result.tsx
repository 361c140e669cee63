import type { ImageSize } from '@dealdeck/marketplace/image-links'
import { Loader } from '@mantine/core'
import { IconPhoto, IconPhotoOff } from '@tabler/icons-react'
import { useState } from 'react'
import { LinkActions, useFeedback } from '../../../ui/link-actions.tsx'
import classes from './image-result.module.css'
import { InlineFeedback } from './inline-feedback.tsx'

type ImageResultProps = { url: string | undefined; size: ImageSize; asin: string | undefined }

const words = { open: 'Open', copied: 'URL copied', failed: 'Failed to copy URL' }

/** The picture behind a link, the link itself, and the actions on it. */
export function ImageResult({ url, size, asin }: ImageResultProps) {
  const [feedback, say] = useFeedback(url)
  return (
    <section className={classes.result} aria-label="Generated picture">
      <div className={classes.frame}>
        {url === undefined ? (
          <p className={classes.empty}>
            <IconPhoto size={32} stroke={1.5} aria-hidden />
            The picture shows here.
          </p>
        ) : (
          <Preview key={url} url={url} label={`Product ${asin}, ${size}`} />
        )}
      </div>
      <output className={classes.url} aria-label="Picture URL">
        {url}
      </output>
      <div className={classes.actions}>
        <LinkActions
          url={url}
          words={words}
          classes={{ copy: classes.action, open: classes.action }}
          feedback={feedback}
          say={say}
        />
      </div>
      <InlineFeedback text={feedback?.text} isFailure={feedback?.isFailure} />
    </section>
  )
}

/** The shop answers for a product without a picture with an image of one pixel. */
const noPicture = 1

function Preview({ url, label }: { url: string; label: string }) {
  const [state, setState] = useState<'loading' | 'there' | 'failed'>('loading')
  return (
    <>
      {state !== 'failed' && (
        <img
          className={classes.image}
          data-loading={state === 'loading' || undefined}
          src={url}
          alt={label}
          referrerPolicy="no-referrer"
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
            setState(Math.max(naturalWidth, naturalHeight) <= noPicture ? 'failed' : 'there')
          }
          onError={() => setState('failed')}
        />
      )}
      <div className={classes.state} role="status">
        {state === 'loading' && (
          <p className={classes.empty}>
            <Loader size="sm" aria-hidden />
            Loading the picture…
          </p>
        )}
        {state === 'failed' && (
          <p className={classes.empty} data-failed>
            <IconPhotoOff size={32} stroke={1.5} aria-hidden />
            Image could not be loaded
          </p>
        )}
      </div>
    </>
  )
}
