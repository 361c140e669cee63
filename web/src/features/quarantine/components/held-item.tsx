import '@mantine/core/styles/Checkbox.layer.css'
import type { HeldRow } from '@dealdeck/contract/quarantine'
import { Button, Checkbox } from '@mantine/core'
import { IconCheck, IconExternalLink, IconPhoto, IconX } from '@tabler/icons-react'
import { type KeyboardEvent, useState } from 'react'
import type { Marketplace } from '../../../platform/money.ts'
import spoken from '../../../ui/unseen.module.css'
import { comparisonsOf, type Decision, notStated } from '../view.ts'
import classes from './held-item.module.css'

type HeldItemProps = {
  row: HeldRow
  shop: Pick<Marketplace, 'ago' | 'exactTime' | 'money' | 'number' | 'locale'>
  now: number
  isChosen: boolean
  isBusy: boolean
  onChoose: (isChosen: boolean) => void
  /** The control by which it was decided takes the focus in the next row. */
  onDecide: (how: Decision, control: string) => void
  onStep: (step: 1 | -1) => void
}

/** A row that waits: what it is, why it waits, what would change, and both answers. */
export function HeldItem(props: HeldItemProps) {
  const { row, shop, now, isChosen, isBusy, onChoose, onDecide, onStep } = props
  const { title, source, reason, held_at, product_url, asin } = row
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const key = event.key.toLowerCase()
    const isAnswer = key === 'l' || key === 'r'
    // As the focus goes on, a key that is held down would answer for row after row, and no answer can be taken back.
    if (event.repeat && (isAnswer || key === 'enter')) return event.preventDefault()
    if (isAnswer) onDecide(key === 'l' ? 'release' : 'refuse', 'choose')
    else if (key === 'j' || key === 'k') onStep(key === 'j' ? 1 : -1)
    else return
    event.preventDefault()
  }
  return (
    // Its keys work while the focus is on one of its controls.
    <li className={classes.item} data-held={row.id} aria-busy={isBusy} onKeyDown={onKeyDown}>
      <Checkbox
        classNames={{ root: classes.choose, inner: classes.box, label: classes.around }}
        data-control="choose"
        label={<span className={spoken.unseen}>Choose {title}</span>}
        checked={isChosen}
        onChange={(event) => onChoose(event.currentTarget.checked)}
      />
      <Picture key={row.image_url} url={row.image_url} />
      <div className={classes.what}>
        <p className={classes.title} title={title}>
          <a href={product_url} target="_blank" rel="noopener noreferrer" className={classes.link}>
            {title || asin} <IconExternalLink size={14} aria-label="(opens the shop)" />
          </a>
        </p>
        <p className={classes.reason}>{reason}</p>
        <p className={classes.from}>
          {source.name} ·{' '}
          <time dateTime={held_at} title={shop.exactTime(held_at)}>
            held {shop.ago(held_at, now)}
          </time>
        </p>
      </div>
      <Comparisons row={row} shop={shop} />
      <div className={classes.actions}>
        <Button
          data-control="release"
          variant="default"
          aria-label={`Let through: ${title}`}
          leftSection={<IconCheck size={16} aria-hidden />}
          loading={isBusy}
          onClick={() => onDecide('release', 'release')}
        >
          Let through
        </Button>
        <Button
          data-control="refuse"
          variant="default"
          aria-label={`Refuse: ${title}`}
          leftSection={<IconX size={16} aria-hidden />}
          disabled={isBusy}
          onClick={() => onDecide('refuse', 'refuse')}
        >
          Refuse
        </Button>
      </div>
    </li>
  )
}

/** Old beside new, field by field, the difference in words. */
function Comparisons({ row, shop }: Pick<HeldItemProps, 'row' | 'shop'>) {
  const rows = comparisonsOf(row, shop)
  const isNew = row.old === null
  if (rows.length === 0) return <div />
  return (
    <table className={classes.table}>
      <caption className={spoken.unseen}>{isNew ? 'A new deal' : 'What would change'}</caption>
      <thead>
        <tr>
          <th scope="col">
            <span className={spoken.unseen}>Field</span>
          </th>
          {!isNew && <th scope="col">Stored</th>}
          <th scope="col">{isNew ? 'New deal' : 'New'}</th>
          {!isNew && <th scope="col">Difference</th>}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ label, before, after, change }) => (
          <tr key={label} data-changed={change !== null || undefined}>
            <th scope="row">{label}</th>
            {!isNew && <td>{change === null ? before : <del>{before}</del>}</td>}
            <td>{change === null ? after : <ins>{after}</ins>}</td>
            {!isNew && (
              <td className={classes.change}>{change ?? (after === notStated ? '' : 'the same')}</td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Picture({ url }: { url: string | null }) {
  const [isBroken, setBroken] = useState(false)
  return (
    <span className={classes.picture}>
      {url === null || url === '' || isBroken ? (
        <IconPhoto size={24} stroke={1.5} aria-hidden />
      ) : (
        <img
          src={url}
          // The title beside it says what it shows.
          alt=""
          loading="lazy"
          referrerPolicy="no-referrer"
          onError={() => setBroken(true)}
        />
      )}
    </span>
  )
}
