import { useState } from 'react'
import type { PriceRun } from '../view/runs.ts'
import { type Formats, heldFor, marksOf } from '../view.ts'
import classes from './price-table.module.css'

type PriceTableProps = {
  /** Oldest first. */
  runs: readonly PriceRun[]
  shop: Formats
  /** Asks to mark a price as wrong, or to take that back; without it nobody may. */
  onMark: ((run: PriceRun) => void) | undefined
}

/** So many changes are shown until somebody wants all. */
const fewRows = 20

/** Every price that was seen of a deal, the newest first: what the chart draws, to be checked. */
export function PriceTable({ runs, shop, onMark }: PriceTableProps) {
  const [isWhole, setWhole] = useState(false)
  const newestFirst = runs.toReversed()
  const shown = isWhole ? newestFirst : newestFirst.slice(0, fewRows)
  return (
    <>
      <section
        className={classes.region}
        aria-label="Table of price changes"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reachable by keyboard.
        tabIndex={0}
      >
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col">Seen</th>
              <th scope="col">Price</th>
              <th scope="col">List price</th>
              <th scope="col">Held for</th>
              <th scope="col">Confirmed until</th>
              <th scope="col">Notes</th>
              <th scope="col">From</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((run, index) => (
              <Row
                key={run.point.seen_at}
                run={run}
                isLast={index === 0}
                shop={shop}
                onMark={onMark && (() => onMark(run))}
              />
            ))}
          </tbody>
        </table>
      </section>
      {shown.length < runs.length && (
        <button type="button" className={classes.more} onClick={() => setWhole(true)}>
          Show all {shop.number(runs.length)} changes
        </button>
      )}
    </>
  )
}

type RowProps = { run: PriceRun; isLast: boolean; shop: Formats; onMark: (() => void) | undefined }

function Row({ run, isLast, shop, onMark }: RowProps) {
  const { point } = run
  const amount = (value: number | null) => (value === null ? '–' : shop.money(value))
  return (
    <tr data-doubted={point.is_suspect || point.is_wrong || undefined}>
      <td className={classes.time}>
        <time dateTime={point.seen_at}>{shop.exactTime(point.seen_at)}</time>
      </td>
      <td className={classes.price}>{point.price === null ? 'Not offered' : amount(point.price)}</td>
      <td>{amount(point.original_price)}</td>
      <td>{heldFor(run, isLast, shop.number)}</td>
      <td className={classes.time}>
        {point.confirmed_until === null ? 'Not known' : shop.exactTime(point.confirmed_until)}
      </td>
      <td>
        {marksOf(run).join(', ')}{' '}
        {onMark && point.price !== null && (
          <button
            type="button"
            className={classes.mark}
            aria-label={`${point.is_wrong ? 'Take back' : 'Mark as wrong'}: ${amount(point.price)}, ${shop.exactTime(point.seen_at)}`}
            onClick={onMark}
          >
            {point.is_wrong ? 'Take back' : 'Mark as wrong'}
          </button>
        )}
      </td>
      <td className={classes.origin}>
        {point.origin ? `${point.origin.source}, import ${point.origin.import_id}` : 'Not known'}
      </td>
    </tr>
  )
}
