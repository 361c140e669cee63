import { Button, Group } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useSession } from '../../../platform/session.ts'
import { Notice } from '../../../ui/notice.tsx'

type FeedEmptyProps = {
  /** There is no deal at all, whatever the filters. */
  anywhere: boolean
  /** The reader chose filters or a search. */
  filtered: boolean
  /** The highest price shown, as text; undefined without one. */
  maxPrice: string | undefined
  onClear: () => void
  onAnyPrice: () => void
}

/** No deal to show: says why, and offers the way out. */
export function FeedEmpty({ anywhere, filtered, maxPrice, onClear, onAnyPrice }: FeedEmptyProps) {
  const isAdmin = useSession().role === 'admin'
  if (anywhere) {
    return (
      <Notice
        title="No deals yet"
        action={
          isAdmin && (
            <Button component={Link} to="/import">
              Import deals
            </Button>
          )
        }
      >
        {isAdmin
          ? 'Import a file of deals to fill the feed. They show up here at once, for everybody.'
          : 'They show up here by themselves as soon as there are any.'}
      </Notice>
    )
  }
  return (
    <Notice
      title="No deal matches"
      action={
        <Group gap="xs" justify="center">
          {filtered && <Button onClick={onClear}>Clear filters</Button>}
          {maxPrice !== undefined && (
            <Button variant="default" onClick={onAnyPrice}>
              Show any price
            </Button>
          )}
        </Group>
      }
    >
      {filtered
        ? 'Try fewer filters or another word.'
        : `Right now there is no deal up to ${maxPrice ?? 'any price'}.`}
    </Notice>
  )
}
