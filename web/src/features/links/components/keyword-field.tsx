import { CloseButton, TextInput } from '@mantine/core'
import { useRef } from 'react'
import { useSlashKey } from '../../../ui/slash-key.ts'
import { longestKeyword } from '../view.ts'
import classes from './keyword-field.module.css'

type KeywordFieldProps = {
  keyword: string
  /** Whether a pasted text is the address of a search. */
  isAddress: (text: string) => boolean
  onAddress: (address: string) => void
  onKeyword: (keyword: string) => void
}

/** What to search for. The address of a search, pasted here, fills all controls instead. */
export function KeywordField({ keyword, isAddress, onAddress, onKeyword }: KeywordFieldProps) {
  const input = useRef<HTMLInputElement>(null)
  useSlashKey(input)
  return (
    <TextInput
      ref={input}
      className={classes.field}
      label="Keyword"
      aria-keyshortcuts="/"
      type="text"
      placeholder="What to search for, or paste a link"
      enterKeyHint="done"
      autoComplete="off"
      maxLength={longestKeyword}
      error={keyword.length >= longestKeyword && `A keyword has at most ${longestKeyword} characters.`}
      value={keyword}
      rightSection={
        keyword !== '' && (
          <CloseButton
            aria-label="Clear keyword"
            onClick={() => {
              onKeyword('')
              input.current?.focus()
            }}
          />
        )
      }
      onChange={(event) => onKeyword(event.currentTarget.value)}
      onPaste={(event) => {
        const text = event.clipboardData.getData('text')
        if (!isAddress(text)) return
        event.preventDefault()
        onAddress(text)
      }}
      onKeyDown={(event) => {
        // Puts a phone's keyboard away, so that the filters can be seen.
        if (event.key === 'Enter' && !event.nativeEvent.isComposing) event.currentTarget.blur()
      }}
    />
  )
}
