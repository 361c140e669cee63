import { type ImageSize, imageSizes } from '@dealdeck/marketplace/image-links'
import { Button, TextInput } from '@mantine/core'
import { useEffect, useId, useRef, useState } from 'react'
import classes from './image-form.module.css'

type ImageFormProps = {
  /** What the shown link was made from. */
  asin: string
  problem: string | undefined
  size: ImageSize
  onSize: (size: ImageSize) => void
  /** False when the text is refused. */
  onGenerate: (text: string) => boolean
  onType: () => void
}

const sizeLabels: Record<ImageSize, string> = { small: 'Small', standard: 'Standard', large: 'Large' }

/** Asks for an item and a size. */
export function ImageForm({ asin, problem, size, onSize, onGenerate, onType }: ImageFormProps) {
  const [text, setText] = useState(asin)
  const name = useId()
  const input = useRef<HTMLInputElement>(null)
  const latest = useRef(onType)
  latest.current = onType
  // Back, or a link from elsewhere; a text that was refused stays to be mended.
  useEffect(() => {
    if (asin === '') return
    setText(asin)
    latest.current()
  }, [asin])
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault()
        if (!onGenerate(text)) input.current?.focus()
      }}
    >
      <TextInput
        ref={input}
        className={classes.field}
        label="ASIN or product address"
        placeholder="B0…, an ISBN, or https://…/dp/…"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        enterKeyHint="go"
        value={text}
        error={problem}
        onChange={(event) => {
          setText(event.currentTarget.value)
          onType()
        }}
      />
      <fieldset className={classes.sizes}>
        <legend className={classes.legend}>Size</legend>
        {imageSizes.map((known) => (
          <label key={known.name} className={classes.size}>
            <input
              type="radio"
              className={classes.radio}
              name={name}
              value={known.name}
              checked={known.name === size}
              onChange={() => onSize(known.name)}
            />
            <span className={classes.name}>{sizeLabels[known.name]}</span>{' '}
            <span className={classes.box}>{known.box.replace('x', '×')}</span>
          </label>
        ))}
      </fieldset>
      <Button type="submit" className={classes.generate}>
        Generate
      </Button>
    </form>
  )
}
