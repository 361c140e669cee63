import { CloseButton, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import classes from './search-box.module.css'
import { useSlashKey } from './slash-key.ts'

/** Long enough that a server isn't asked for every letter, in milliseconds. */
const typingPauseMs = 300

/** A field's text as it is typed, for those who write into it beside their reader. */
export type SearchDraft = {
  text: string
  /** Puts a text there that is searched for already. */
  put: (text: string) => void
}

/** The field as what lies over it sees it. */
export type SearchField = Pick<SearchDraft, 'text'> & {
  input: RefObject<HTMLInputElement | null>
  /** Puts a text there and searches for it at once. */
  write: (text: string) => void
}

type SearchBoxProps = {
  label: string
  value: string
  /** Gets the trimmed text, after a pause in typing or at once on Enter. */
  onSearch: (text: string) => void
  /** The pause, in milliseconds; shorter where the answer is already here. */
  pauseMs?: number
  maxLength?: number
  draft?: RefObject<SearchDraft | null>
  /** What lies over the field. */
  over?: (field: SearchField) => ReactNode
}

/** A screen's search. It answers while typing, `/` leads to it, Esc empties it and then leaves it. */
export function SearchBox(props: SearchBoxProps) {
  const { label, value, onSearch, pauseMs = typingPauseMs, maxLength = 200, draft, over } = props
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(value)
  const settled = useRef(value)

  // The address changed by itself: Back, a link, a reset.
  useEffect(() => {
    if (value === settled.current) return
    settled.current = value
    setText(value)
  }, [value])

  function search(next: string) {
    const trimmed = next.trim()
    if (trimmed === settled.current) return
    settled.current = trimmed
    onSearch(trimmed)
  }

  const latest = useRef(search)
  latest.current = search
  useEffect(() => {
    const timer = setTimeout(() => latest.current(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text, pauseMs])

  useSlashKey(input)

  function write(next: string) {
    setText(next)
    search(next)
  }

  function put(next: string) {
    settled.current = next.trim()
    setText(next)
  }
  if (draft) draft.current = { text, put }

  return (
    <search className={classes.box}>
      <TextInput
        ref={input}
        aria-label={label}
        aria-keyshortcuts="/"
        placeholder={label}
        type="search"
        classNames={{ input: classes.input }}
        enterKeyHint="search"
        autoComplete="off"
        maxLength={maxLength}
        leftSection={<IconSearch size={18} stroke={1.75} aria-hidden />}
        rightSection={
          text !== '' && (
            <CloseButton
              aria-label="Clear search"
              onClick={() => {
                write('')
                input.current?.focus()
              }}
            />
          )
        }
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return
          if (event.key === 'Enter') search(text)
          if (event.key !== 'Escape') return
          if (text === '') event.currentTarget.blur()
          else write('')
        }}
      />
      {over?.({ input, text, write })}
    </search>
  )
}
