import { imageSizes } from '@dealdeck/marketplace/image-links'
import { Button, CloseButton, Textarea } from '@mantine/core'
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { useCopy } from '../../../platform/clipboard.ts'
import { useMarketplace } from '../../../platform/money.ts'
import { lengthProblem } from '../../../ui/length-problem.ts'
import { ScrollRegion } from '../../../ui/scroll-region.tsx'
import { keepList, keptList } from '../view/kept-list.ts'
import { type ListFormat, listFormats, mostItems, readImageList, writeImageList } from '../view.ts'
import classes from './image-list.module.css'
import { ImageTable } from './image-table.tsx'
import { InlineFeedback } from './inline-feedback.tsx'

const copiedForMs = 3_000
const longestText = 200_000

const formatLabels: Record<ListFormat, string> = {
  text: 'Text',
  markdown: 'Markdown',
  html: 'HTML',
  csv: 'CSV',
}

/** The links of many pictures at once, from a pasted list. */
export function ImageList({ marketplace }: { marketplace: string }) {
  const { number } = useMarketplace()
  const field = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState(keptList)
  useEffect(() => keepList(text), [text])
  const tooLong = lengthProblem(text, longestText, number)
  const settled = useDeferredValue(tooLong ? '' : text)
  const { items, refused } = useMemo(() => readImageList(settled, marketplace), [settled, marketplace])
  const { copied, copy } = useCopy(copiedForMs)

  return (
    <section className={classes.section} aria-label="Many at once">
      <div>
        <h2 className={classes.title}>Many at once</h2>
        <p className={classes.lead}>
          Paste up to {number(mostItems)} ASINs, ISBNs or product addresses, one a line or separated by
          commas.
        </p>
      </div>
      <div className={classes.input}>
        <Textarea
          ref={field}
          aria-label="ASINs or product addresses"
          className={classes.field}
          rows={5}
          error={tooLong}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {text !== '' && (
          <CloseButton
            className={classes.clear}
            aria-label="Clear the list"
            onClick={() => {
              setText('')
              field.current?.focus()
            }}
          />
        )}
      </div>
      {refused.length > 0 && (
        <div className={classes.refused}>
          <p className={classes.count}>
            {refused.length === 1 ? '1 entry' : `${number(refused.length)} entries`} left out
          </p>
          <ScrollRegion label="Entries left out">
            <ul className={classes.reasons}>
              {refused.map(({ line, text: part, reason }, index) => (
                // The same text may stand in a line twice.
                // biome-ignore lint/suspicious/noArrayIndexKey: the list is made anew as a whole
                <li key={index} className={classes.reason}>
                  <span className={classes.line}>Line {number(line)}</span>
                  <span className={classes.part}>
                    <code>{part.length > 120 ? `${part.slice(0, 120)}…` : part}</code> {reason}
                  </span>
                </li>
              ))}
            </ul>
          </ScrollRegion>
        </div>
      )}
      {items.length > 0 && (
        <div className={classes.found}>
          <div className={classes.head}>
            <p className={classes.count} role="status">
              {items.length === 1 ? '1 product' : `${number(items.length)} products`},{' '}
              {number(items.length * imageSizes.length)} links
            </p>
            <fieldset className={classes.formats}>
              <legend className={classes.legend}>Copy as</legend>
              {listFormats.map((format) => (
                <Button
                  key={format}
                  variant="default"
                  className={classes.format}
                  onClick={() => void copy(format, writeImageList(items, format))}
                >
                  {copied?.ok && copied.key === format ? 'Copied' : formatLabels[format]}
                </Button>
              ))}
            </fieldset>
          </div>
          <ImageTable items={items} />
        </div>
      )}
      <InlineFeedback
        text={
          copied && (copied.ok ? `Copied as ${formatLabels[formatOf(copied.key)]}` : 'Failed to copy URL')
        }
        isFailure={copied?.ok === false}
      />
    </section>
  )
}

function formatOf(key: string): ListFormat {
  return listFormats.find((format) => format === key) ?? 'text'
}
