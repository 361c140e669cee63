import { useQuery } from '@tanstack/react-query'
import type { Marketplace } from '../../platform/money.ts'
import { countQuery } from './api.ts'
import classes from './question-notes.module.css'
import { contradictedIn, readText, withContradicted } from './view/asking.ts'
import { sentenceOf } from './view/chips.ts'
import { type Asker, defaultFilters } from './view/filters.ts'
import { mended, toldProblems } from './view/offers.ts'

type QuestionNotesProps = { text: string; asker: Asker; shop: Marketplace; onAsk: (text: string) => void }

/** A question in words, and what of it does not count, with what could stand there instead. */
export function QuestionNotes({ text, asker, shop, onAsk }: QuestionNotesProps) {
  const sentence = sentenceOf(text, asker, shop.money)
  const problems = toldProblems(text, readText(text, asker))
  if (sentence === undefined && problems.length === 0) return null
  return (
    <div className={classes.notes} role="status">
      {problems.map((problem) => {
        const next = mended(text, problem)
        return (
          <p
            key={`${problem.start} ${problem.message}`}
            className={classes.problem}
            data-severity={problem.severity}
          >
            {problem.message}{' '}
            {next !== undefined && (
              <button type="button" className={classes.mend} onClick={() => onAsk(next)}>
                Use {problem.suggestion}
              </button>
            )}
          </p>
        )
      })}
      {sentence !== undefined && <p className={classes.sentence}>{sentence}</p>}
    </div>
  )
}

/** How many deals a reader's preference about contradicted discounts hides here, and how to see them this once. */
export function ContradictedNote({ text, asker, shop, onAsk }: QuestionNotesProps) {
  const hidden = contradictedIn(text, asker)
  const counted = useQuery({ ...countQuery(hidden ?? defaultFilters(asker)), enabled: hidden !== undefined })
  const { count = 0, has_more = false } = counted.data ?? {}
  if (!hidden || count === 0) return null
  const said = `${shop.number(count)}${has_more ? '+' : ''}`
  return (
    <button
      type="button"
      className={classes.hidden}
      title="Deals whose discount the prices we have seen contradict. Show them this once; the preference is in your profile."
      onClick={() => onAsk(withContradicted(text, asker))}
    >
      {said} contradicted hidden · <b>Show</b>
    </button>
  )
}
