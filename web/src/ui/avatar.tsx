import classes from './avatar.module.css'

type AvatarProps = {
  /** Whom it stands for; shown as initials where there is no picture. */
  name: string
  /** An address of a picture. */
  picture?: string | undefined
  size?: 'sm' | 'md' | 'lg'
}

/** A round picture or initials. Decoration: the name stands beside it. */
export function Avatar({ name, picture, size = 'md' }: AvatarProps) {
  return (
    <span className={classes.avatar} data-size={size} aria-hidden="true">
      {picture ? <img src={picture} alt="" className={classes.picture} /> : initialsOf(name)}
    </span>
  )
}

/** 'Ada Lovelace' → 'AL', 'night-owl' → 'NO', 'una' → 'U'. */
function initialsOf(name: string): string {
  const [first = '', ...others] = name.split(/[\s._-]+/u).filter(Boolean)
  const letters = [first, others.at(-1) ?? ''].map((word) => [...word][0] ?? '')
  return letters.join('').toUpperCase()
}
