import { CloseButton, UnstyledButton } from '@mantine/core'
import { IconArrowUp } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import type { Marketplace } from '../../../platform/money.ts'
import type { FeedFilters } from '../view/filters.ts'
import type { News } from '../view/new-deals.ts'
import { newestFirst } from '../view/on-top.ts'
import { showOnTop } from '../view/showing-new.ts'
import { fallsLine, newsLine } from '../view/toast-lines.ts'
import classes from './new-deals-toast.module.css'

/** How new deals are shown: on top of the same list, the newest first, which may be the list on the screen. */
export type Showing = {
  newest: FeedFilters
  isNewest: boolean
  /** Rejects where they can't be had. */
  putOnTop: (news: News) => Promise<void>
}

type NewDealsToastProps = {
  news: News
  /** How many prices fell. */
  falls: number
  shop: Marketplace
  /** What became of the last press. */
  showing: 'no' | 'busy' | 'failed'
  filters: FeedFilters
  onShow: (how: Showing) => void
  onShowFalls: () => void
  onDismiss: () => void
}

/** Says over the list that there are new deals and fallen prices, instead of moving it; in a region that is read out. */
export function NewDealsToast(props: NewDealsToastProps) {
  const { filters, shop, showing, onShow, onShowFalls, onDismiss } = props
  const queries = useQueryClient()
  const newest = newestFirst(filters)
  const isNewest = newest.sort === filters.sort && newest.query === filters.query
  const putOnTop: Showing['putOnTop'] = (top) => showOnTop(queries, newest, top)
  const news = newsLine(props.news, shop.number, shop.money)
  const falls = fallsLine(props.falls, shop.number)
  return (
    <div className={classes.toast}>
      {news !== undefined && (
        <UnstyledButton
          className={classes.show}
          disabled={showing === 'busy'}
          onClick={() => onShow({ newest, isNewest, putOnTop })}
        >
          <IconArrowUp size={18} stroke={2} aria-hidden />
          <span>
            <strong>New Deals Available!</strong>{' '}
            <span className={classes.line}>
              {showing === 'failed' ? 'Could not load them, try again' : news}
              {!isNewest && showing !== 'failed' && ' · newest first'}
            </span>
          </span>
        </UnstyledButton>
      )}
      {falls !== undefined && (
        <UnstyledButton className={classes.show} onClick={onShowFalls}>
          <IconArrowUp className={classes.down} size={18} stroke={2} aria-hidden />
          <span className={classes.line}>{falls}</span>
        </UnstyledButton>
      )}
      <CloseButton className={classes.dismiss} aria-label="Not now" onClick={onDismiss} />
    </div>
  )
}
