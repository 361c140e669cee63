import { Skeleton } from '@mantine/core'
import classes from './deal-card.module.css'

/** A deal that is on its way, in the shape it will have. */
export function SkeletonCard() {
  return (
    <div className={classes.card} aria-hidden>
      <Skeleton className={classes.picture} radius={0} />
      <div className={classes.body}>
        <Skeleton className={classes.skeleton} height="0.875rem" mt="0.125rem" />
        <Skeleton className={classes.skeleton} height="0.875rem" mt="0.3125rem" width="70%" />
        <Skeleton className={classes.skeleton} height="1.25rem" mt="0.75rem" width="45%" />
        <Skeleton className={classes.skeleton} height="0.75rem" mt="0.625rem" width="60%" />
        <Skeleton className={classes.skeleton} height="0.75rem" mt="0.5rem" width="50%" />
      </div>
    </div>
  )
}
