import { readAsin } from '@dealdeck/marketplace/asin'
import { defaultImageSize, type ImageSize, imageLink, imageSizes } from '@dealdeck/marketplace/image-links'
import { Badge } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { useMarketplace } from '../../platform/money.ts'
import { ImageForm } from './components/image-form.tsx'
import { ImageList } from './components/image-list.tsx'
import { ImageResult } from './components/image-result.tsx'
import classes from './images-screen.module.css'

const route = getRouteApi('/image-tools')

/** Makes the link of a product's picture from its ASIN, and of many at once. */
export function ImagesScreen() {
  const { asin = '', size: sizeName } = route.useSearch()
  const navigate = route.useNavigate()
  const { marketplace } = useMarketplace()
  const [problem, setProblem] = useState<string>()
  const size = imageSizes.find(({ name }) => name === sizeName)?.name ?? defaultImageSize
  const read = asin === '' ? undefined : readAsin(asin)
  const found = read && 'asin' in read ? read.asin : undefined
  const url = found && imageLink(found, size, marketplace)

  const go = (next: { asin: string; size: ImageSize }) =>
    void navigate({
      search: { asin: next.asin || undefined, size: next.size === defaultImageSize ? undefined : next.size },
      replace: next.asin === asin,
      resetScroll: false,
    })

  function generate(text: string): boolean {
    const typed = readAsin(text)
    setProblem('problem' in typed ? typed.problem : undefined)
    // A refused text leaves no link behind that one could take for its own.
    go({ asin: 'asin' in typed ? typed.asin : '', size })
    return 'asin' in typed
  }

  return (
    <div className={classes.screen}>
      <header>
        <h1 className={classes.title}>
          Image Tools <Badge className={classes.beta}>beta</Badge>
        </h1>
        <p className={classes.lead}>The link of a product’s picture, in three sizes.</p>
      </header>
      <div className={classes.one}>
        <ImageForm
          asin={found ?? asin}
          problem={problem ?? (read && 'problem' in read ? read.problem : undefined)}
          size={size}
          onSize={(next) => go({ asin, size: next })}
          onGenerate={generate}
          onType={() => setProblem(undefined)}
        />
        <ImageResult url={url} size={size} asin={found} />
      </div>
      <ImageList marketplace={marketplace} />
    </div>
  )
}
