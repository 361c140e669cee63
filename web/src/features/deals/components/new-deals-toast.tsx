import { CloseButton, UnstyledButton } from '@mantine/core'
import { IconArrowUp } from '@tabler/icons-react'
import type { Marketplace } from '../../../platform/money.ts'
import type { News } from '../view/new-deals.ts'
import { fallsLine, newsLine } from '../view/toast-lines.ts'
import classes from './new-deals-toast.module.css'

type NewDealsToastProps = {
  news: News
  /** How many prices fell. */
  falls: number
  shop: Marketplace
  /** What became of the last press. */
  showing: 'no' | 'busy' | 'failed'
  /** Showing the new deals changes the order of the list. */
  switchesSort: boolean
  onShow: () => void
  onShowFalls: () => void
  onDismiss: () => void
}

/** Says over the list that there are new deals and fallen prices, instead of moving it; in a region that is read out. */
export function NewDealsToast(props: NewDealsToastProps) {
  const { shop, showing, switchesSort, onShow, onShowFalls, onDismiss } = props
  const news = newsLine(props.news, shop.number, shop.money)
  const falls = fallsLine(props.falls, shop.number)
  return (
    <div className={classes.toast}>
      {news !== undefined && (
        <UnstyledButton className={classes.show} disabled={showing === 'busy'} onClick={onShow}>
          <IconArrowUp size={18} stroke={2} aria-hidden />
          <span>
            <strong>New Deals Available!</strong>{' '}
            <span className={classes.line}>
              {showing === 'failed' ? 'Could not load them, try again' : news}
              {switchesSort && showing !== 'failed' && ' · newest first'}
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
