import type { BlacklistedWord } from '@dealdeck/contract/blacklist'
import { Button } from '@mantine/core'
import classes from './word-row.module.css'

type WordRowProps = {
  word: BlacklistedWord
  ago: (time: string) => string
  exactTime: (time: string) => string
  onActive: (isActive: boolean) => void
}

/** A word, since when it is there, and the one thing that can be done with it. */
export function WordRow({ word: { word, is_active: isActive, created_at: at }, ...props }: WordRowProps) {
  return (
    <div className={classes.row} data-inactive={!isActive || undefined}>
      <div className={classes.what}>
        <p className={classes.word} title={word}>
          {word}
        </p>
        <p className={classes.since}>
          {!isActive && 'Inactive · '}
          <time dateTime={at} title={props.exactTime(at)}>
            added {props.ago(at)}
          </time>
        </p>
      </div>
      <Button
        variant={isActive ? 'default' : 'light'}
        className={classes.action}
        aria-label={`${isActive ? 'Remove' : 'Activate'} ${word}`}
        // At the second click of a double one the button may say the opposite, or the next word stand here.
        onClick={({ detail }) => detail < 2 && props.onActive(!isActive)}
      >
        {isActive ? 'Remove' : 'Activate'}
      </Button>
    </div>
  )
}
