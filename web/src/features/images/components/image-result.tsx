import type { ImageSize } from '@dealdeck/marketplace/image-links'
import { Button, Loader } from '@mantine/core'
import { IconCheck, IconCopy, IconExternalLink, IconPhoto, IconPhotoOff } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { copyText } from '../../../platform/clipboard.ts'
import classes from './image-result.module.css'

type ImageResultProps = { url: string | undefined; size: ImageSize; asin: string | undefined }

type Said = { text: string; isFailure?: boolean }

const saidForMs = 3_000

/** The picture behind a link, the link itself, and the ways to take it along. */
export function ImageResult({ url, size, asin }: ImageResultProps) {
  const [said, say] = useState<Said>()
  useEffect(() => {
    if (said === undefined) return
    const timer = setTimeout(() => say(undefined), saidForMs)
    return () => clearTimeout(timer)
  }, [said])

  async function copy() {
    if (url === undefined) return say({ text: 'No URL to copy', isFailure: true })
    say((await copyText(url)) ? { text: 'URL copied' } : { text: 'Failed to copy URL', isFailure: true })
  }
  const isCopied = said !== undefined && !said.isFailure

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
        <Button
          className={classes.action}
          leftSection={isCopied ? <IconCheck size={18} aria-hidden /> : <IconCopy size={18} aria-hidden />}
          onClick={() => void copy()}
        >
          {isCopied ? 'Copied' : 'Copy'}
        </Button>
        {url === undefined ? (
          <Button
            className={classes.action}
            variant="default"
            leftSection={<IconExternalLink size={18} aria-hidden />}
            onClick={() => say({ text: 'No URL to open', isFailure: true })}
          >
            Open
          </Button>
        ) : (
          <Button
            className={classes.action}
            component="a"
            href={url}
            target="_blank"
            rel="noopener noreferrer"
            variant="default"
            leftSection={<IconExternalLink size={18} aria-hidden />}
          >
            Open
          </Button>
        )}
      </div>
      <p className={classes.said} role="status" data-failed={said?.isFailure || undefined}>
        {said?.text}
      </p>
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
