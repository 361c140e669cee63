import type { SavedSearch } from '@dealdeck/contract/searches'
import { parseQuestion } from '@dealdeck/query/parsing'
import { sayQuestion } from '@dealdeck/query/words'
import { Button, Switch } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconPencil, IconRss, IconTrash } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useRef } from 'react'
import type { Marketplace } from '../../../platform/money.ts'
import icon from '../../../ui/icon-button.module.css'
import { newsOf, textOf } from '../view.ts'
import classes from './search-item.module.css'

type SearchItemProps = {
  search: SavedSearch
  shop: Pick<Marketplace, 'money'>
  /** Whether it is the first, or the last, of the list. */
  isFirst: boolean
  isLast: boolean
  /** Whether its reader is told of what is new. */
  bell: ReactNode
  mayRemove: boolean
  onMove: (step: 1 | -1) => void
  onRow: (isInRow: boolean) => void
  onEdit: () => void
  onFeeds: () => void
  onRemove: () => void
}

/** A saved search with its question in words, and all that can be done with it. */
export function SearchItem(props: SearchItemProps) {
  const { search, shop, isFirst, isLast, bell, mayRemove, onMove, onRow, onEdit, onFeeds, onRemove } = props
  const { name, q, sort, is_shared, is_mine, owner, is_in_row } = search
  const news = newsOf(search)
  const { condition } = parseQuestion(q, { isAdministrator: true }).question
  const words = sayQuestion({ condition, sort }, { money: shop.money })
  return (
    <li className={classes.item}>
      <div className={classes.what}>
        <p className={classes.title}>
          <Link to="/amazon-haul" search={{ q: textOf(search) }} className={classes.name}>
            {name}
          </Link>
          {news && <span className={classes.news}>{news.whole}</span>}
        </p>
        <p className={classes.words}>{words || 'All deals'}</p>
        <p className={classes.owner}>
          {is_shared ? (is_mine ? 'Shared with the group' : `Shared by ${owner}`) : 'Only you'}
        </p>
      </div>
      <div className={classes.actions}>
        <Switch
          className={classes.row}
          label={
            <>
              <span className={classes.short}>Show</span>
              <span className={classes.long}>Above the deals</span>
            </>
          }
          aria-label={`${name} above the deals`}
          checked={is_in_row}
          onChange={(event) => onRow(event.currentTarget.checked)}
        />
        {bell}
        <MoveButton label={`Move ${name} up`} Icon={IconArrowUp} isOff={isFirst} onMove={() => onMove(-1)} />
        <MoveButton
          label={`Move ${name} down`}
          Icon={IconArrowDown}
          isOff={isLast}
          onMove={() => onMove(1)}
        />
        <Button
          variant="default"
          className={classes.feeds}
          leftSection={<IconRss size={16} aria-hidden />}
          aria-label={`Feeds of ${name}`}
          onClick={onFeeds}
        >
          <span className={classes.long}>Feeds</span>
        </Button>
        <button
          type="button"
          className={icon.button}
          aria-label={`Edit ${name}`}
          title="Edit"
          onClick={onEdit}
        >
          <IconPencil size={18} stroke={1.75} aria-hidden />
        </button>
        {mayRemove && (
          <button
            type="button"
            className={icon.button}
            aria-label={`Delete ${name}`}
            title="Delete"
            onClick={onRemove}
          >
            <IconTrash size={18} stroke={1.75} aria-hidden />
          </button>
        )}
      </div>
    </li>
  )
}

type MoveButtonProps = { label: string; Icon: typeof IconArrowUp; isOff: boolean; onMove: () => void }

/** At the end of the list it stays where it is, and keeps the focus. */
function MoveButton({ label, Icon, isOff, onMove }: MoveButtonProps) {
  const button = useRef<HTMLButtonElement>(null)
  return (
    <button
      ref={button}
      type="button"
      className={`${icon.button} ${classes.move}`}
      aria-label={label}
      title={label}
      aria-disabled={isOff}
      onClick={() => {
        if (isOff) return
        onMove()
        // Where the list moved this very line, the focus is lost.
        requestAnimationFrame(() => button.current?.focus())
      }}
    >
      <Icon size={18} stroke={1.75} aria-hidden />
    </button>
  )
}
