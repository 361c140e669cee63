import { longestWord } from '@dealdeck/contract/blacklist'
import { Button, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { previewQuery } from '../api.ts'
import { previewLine } from '../view.ts'
import classes from './add-word.module.css'

type AddWordProps = {
  number: (value: number) => string
  /** Adds the word; answers what to say when that failed. */
  onAdd: (word: string) => Promise<string | undefined>
}

const typingPauseMs = 250

/** Takes a word, and shows before it is added what it would hide. */
export function AddWord({ number, onAdd }: AddWordProps) {
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const [settled] = useDebouncedValue(text.trim(), typingPauseMs)
  const { data, isError, isPlaceholderData } = useQuery(previewQuery(settled))
  const preview = settled === '' || text.trim() === '' ? undefined : data
  const isOld = isPlaceholderData || settled !== text.trim()

  async function add(event: FormEvent) {
    event.preventDefault()
    if (text.trim() === '') {
      setProblem('Please enter a word')
      input.current?.focus()
      return
    }
    setBusy(true)
    const failure = await onAdd(text)
    setBusy(false)
    // What is typed meanwhile is the next word; the refused one is then named, for it stands nowhere any more.
    const isNext = input.current?.value !== text
    setProblem(failure && isNext ? `“${text.trim()}”: ${failure}` : failure)
    if (failure === undefined && !isNext) setText('')
    input.current?.focus()
  }

  return (
    <form className={classes.form} onSubmit={(event) => void add(event)}>
      <div className={classes.line}>
        <TextInput
          ref={input}
          className={classes.field}
          label="Word or phrase to hide"
          autoComplete="off"
          autoCapitalize="off"
          maxLength={longestWord}
          value={text}
          error={problem}
          onChange={(event) => {
            setText(event.currentTarget.value)
            setProblem(undefined)
          }}
        />
        <Button type="submit" className={classes.add} loading={isBusy}>
          Add word
        </Button>
      </div>
      <div
        className={classes.preview}
        data-old={isOld || undefined}
        data-shown={text.trim() !== '' || undefined}
      >
        <p role="status" className={classes.sum}>
          {text.trim() === ''
            ? 'Every deal whose title contains it, in any case, disappears for everybody.'
            : isError
              ? 'What it would hide can’t be counted now.'
              : preview
                ? previewLine(preview, number)
                : 'Counting …'}
        </p>
        {preview && preview.titles.length > 0 && (
          <ul className={classes.titles}>
            {preview.titles.map((title, index) => (
              // Two deals may have one title.
              // biome-ignore lint/suspicious/noArrayIndexKey: the list is replaced as a whole
              <li key={index} title={title}>
                {title}
              </li>
            ))}
          </ul>
        )}
      </div>
    </form>
  )
}
