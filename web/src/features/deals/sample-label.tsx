import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { errorMessage } from '../../platform/api-error.ts'
import { api } from '../../platform/client.ts'
import { useSession } from '../../platform/session.ts'
import { listKey, statsQuery } from './api.ts'
import classes from './components/feed-head.module.css'

/** Says that the deals are made up, and removes them for an administrator. */
export function SampleLabel() {
  const queries = useQueryClient()
  const isAdmin = useSession().role === 'admin'
  const removing = useMutation({
    ...api.deals.removeSamples.mutationOptions(),
    onSuccess: () =>
      Promise.all([
        queries.resetQueries({ queryKey: listKey }),
        queries.invalidateQueries({ queryKey: statsQuery.queryKey }),
      ]),
  })
  return (
    <>
      <p>
        {removing.isError ? (
          <span role="alert">Could not remove them. {errorMessage(removing.error)}</span>
        ) : (
          <>
            These are sample deals<span className={classes.more}>, made up to show how the feed works</span>.
          </>
        )}
      </p>
      {isAdmin && (
        <Button
          variant="transparent"
          size="compact-sm"
          className={classes.remove}
          loading={removing.isPending}
          onClick={() => removing.mutate({})}
        >
          Remove samples
        </Button>
      )}
    </>
  )
}
