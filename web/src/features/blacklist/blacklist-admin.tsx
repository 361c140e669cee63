import { Button, Switch } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useMemo, useState } from 'react'
import { ApiError, errorMessage } from '../../platform/api-error.ts'
import { useMarketplace } from '../../platform/money.ts'
import { ActionToast, useActionNote } from '../../ui/action-toast.tsx'
import { Notice } from '../../ui/notice.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { SourceLabel } from '../../ui/source-label.tsx'
import { WaitingGrid } from '../../ui/waiting-grid.tsx'
import { WindowedGrid } from '../../ui/windowed-grid.tsx'
import { useWordChanges, wordsQuery } from './api.ts'
import classes from './blacklist-admin.module.css'
import { AddWord } from './components/add-word.tsx'
import { WordRow } from './components/word-row.tsx'
import { builtInWords, countLine, shownWords } from './view.ts'

const searchPauseMs = 80
const cellRem = 4
const columnRem = 20

/** The words that hide deals: add one knowing what it hides, remove it, bring it back. */
export function BlacklistAdmin() {
  const { number, ago, exactTime } = useMarketplace()
  const words = useQuery(wordsQuery)
  const { add, setActive } = useWordChanges()
  const toast = useActionNote()
  const [search, setSearch] = useState('')
  const [withInactive, setWithInactive] = useState(false)
  const query = useDeferredValue(search)
  const shown = useMemo(
    () => words.data && shownWords(words.data, query, withInactive),
    [words.data, query, withInactive],
  )

  async function addWord(text: string): Promise<string | undefined> {
    try {
      const { word, hidden } = await add.mutateAsync({ word: text })
      const came = hidden === 0 ? 'no deal' : hidden === 1 ? '1 deal' : `${number(hidden)} deals`
      toast.say({ text: `Added “${word}”. It hides ${came}.` })
      return undefined
    } catch (error) {
      return error instanceof ApiError ? error.message : `Failed to add word. ${errorMessage(error)}`
    }
  }

  async function change(id: number, word: string, isActive: boolean, canUndo: boolean): Promise<void> {
    try {
      await setActive.mutateAsync({ id, is_active: isActive })
      toast.say({
        text: isActive ? `“${word}” is active again.` : `Removed “${word}”. Its deals are back.`,
        ...(canUndo && { undo: () => void change(id, word, !isActive, false) }),
      })
    } catch (error) {
      const text = isActive
        ? `Failed to activate word. ${errorMessage(error)}`
        : 'Failed to remove word. Please try again.'
      toast.say({ text, failed: true })
    }
  }

  return (
    <div className={classes.tab}>
      <AddWord number={number} onAdd={addWord} />
      {words.data === undefined && words.isError ? (
        <Unreachable onAgain={() => void words.refetch()} />
      ) : (
        <>
          <div className={classes.tools}>
            <SearchBox label="Search words" value={search} pauseMs={searchPauseMs} onSearch={setSearch} />
            <Switch
              className={classes.switch}
              label="Show inactive words"
              checked={withInactive}
              onChange={(event) => setWithInactive(event.currentTarget.checked)}
            />
          </div>
          <p role="status" className={classes.count}>
            {words.data ? countLine(words.data, number) : 'Loading words'}
          </p>
          {words.isRefetchError && (
            <SourceLabel>Could not refresh. These words may be out of date.</SourceLabel>
          )}
          {shown === undefined ? (
            <WaitingGrid count={9} columnRem={columnRem} cellRem={cellRem} />
          ) : shown.length > 0 ? (
            <WindowedGrid
              label="Blacklisted words"
              count={shown.length}
              columnRem={columnRem}
              cellRem={cellRem}
              cell={(position) => {
                const word = shown[position]
                return (
                  word && (
                    <WordRow
                      word={word}
                      ago={ago}
                      exactTime={exactTime}
                      onActive={(isActive) => void change(word.id, word.word, isActive, true)}
                    />
                  )
                )
              }}
            />
          ) : (
            <NoWords search={query} hidden={words.data?.length ?? 0} onClear={() => setSearch('')} />
          )}
        </>
      )}
      <ActionToast {...toast} />
    </div>
  )
}

function NoWords({ search, hidden, onClear }: { search: string; hidden: number; onClear: () => void }) {
  if (search !== '') {
    return (
      <Notice title="No word matches" action={<Button onClick={onClear}>Clear search</Button>}>
        No word here contains “{search}”.
      </Notice>
    )
  }
  return (
    <Notice title={hidden === 0 ? 'No words yet' : 'No active words'}>
      {hidden === 0
        ? 'Add one above; deals whose titles contain it disappear for everybody.'
        : 'Every word is inactive. Show inactive words to bring one back.'}
    </Notice>
  )
}

function Unreachable({ onAgain }: { onAgain: () => void }) {
  return (
    <>
      <Notice
        failed
        title="Failed to load blacklisted words. Please try again."
        action={<Button onClick={onAgain}>Try Again</Button>}
      >
        Until then the built-in words are listed below.
      </Notice>
      <SourceLabel>Showing the ten built-in words, the server can't be reached</SourceLabel>
      <ul className={classes.builtIn} aria-label="Built-in words">
        {builtInWords.map((word) => (
          <li key={word}>{word}</li>
        ))}
      </ul>
    </>
  )
}
