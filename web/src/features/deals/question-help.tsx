import { declarationOf, fieldNames } from '@dealdeck/query/fields'
import { parseQuestion } from '@dealdeck/query/parsing'
import { sayQuestion } from '@dealdeck/query/words'
import { CloseButton } from '@mantine/core'
import { Dialog } from '../../ui/dialog.tsx'
import classes from './question-help.module.css'

type QuestionHelpProps = { onAsk: (text: string) => void; onClose: () => void }

/** What somebody would look for, each with something that hasn't been shown before. */
const examples = [
  'watches under 30 at least half off, not casio',
  'watch price:<30 off:50 -casio',
  '"noise cancelling" rating:4',
  'brand:anker,ugreen prime:yes',
  'lamp OR lantern sort:price',
  'new:today sort:discount',
  'ends:<2h price:5..15',
  'verdict:lowest,good sort:best',
  'low:90d typical:20 -verdict:listnotseen',
  'drop:>=10 since:<7d',
]

const say = (text: string) => sayQuestion(parseQuestion(text).question)

/** Examples of questions, to be tried with a press, and every field there is. */
export function QuestionHelp({ onAsk, onClose }: QuestionHelpProps) {
  const row = (text: string) => (
    <li key={text}>
      <button type="button" className={classes.row} onClick={() => onAsk(text)}>
        <code>{text}</code>
        <span className={classes.words}>{say(text)}</span>
      </button>
    </li>
  )
  return (
    <Dialog title="Ask for deals" asSheet onClose={onClose}>
      <CloseButton className={classes.close} aria-label="Close" onClick={onClose} />
      <div className={classes.body}>
        <p className={classes.lead}>
          Words alone are enough: a deal has all of them in its title. Quotes hold words together, a hyphen
          leaves something out, OR takes either of two.
        </p>
        <h3 className={classes.heading}>Try one</h3>
        <ul className={classes.rows}>{examples.map(row)}</ul>
        <h3 className={classes.heading}>Everything to ask for</h3>
        <ul className={classes.rows}>
          {fieldNames.map((name) => row(`${name}:${declarationOf(name).example}`))}
          {row('sort:price')}
          {row('sort:best')}
        </ul>
      </div>
    </Dialog>
  )
}
