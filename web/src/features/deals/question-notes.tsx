import type { Marketplace } from '../../platform/money.ts'
import classes from './question-notes.module.css'
import { readText } from './view/asking.ts'
import { sentenceOf } from './view/chips.ts'
import type { Asker } from './view/filters.ts'
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
