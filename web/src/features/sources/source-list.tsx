import type { KindDescription, Source } from '@dealdeck/contract/sources'
import { Button } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconPlus } from '@tabler/icons-react'
import type { RefObject } from 'react'
import { useMarketplace } from '../../platform/money.ts'
import { useNow } from '../../platform/now.ts'
import { Notice } from '../../ui/notice.tsx'
import { KindChoice } from './components/kind-choice.tsx'
import type { SourceActionsProps } from './components/source-actions.tsx'
import rows from './components/source-list.module.css'
import { SourceRow } from './components/source-row.tsx'
import classes from './source-list.module.css'
import { inOrder, summaryOf } from './view.ts'

type SourceListProps = {
  sources: readonly Source[]
  kinds: readonly KindDescription[]
  /** Takes the focus when a row that had it is gone. */
  heading: RefObject<HTMLHeadingElement | null>
  onAdd: () => void
  actionsOf: (source: Source) => Omit<SourceActionsProps, 'source'>
}

const columns = ['Source', 'State', 'Next run', 'Last result', 'New a day', 'Actions']

/** All sources, those that need somebody first; without any, what a source is. */
export function SourceList({ sources, kinds, heading, onAdd, actionsOf }: SourceListProps) {
  const shop = useMarketplace()
  const now = useNow()
  if (sources.length === 0)
    return (
      <>
        <Notice title="No sources yet">
          A source is an address, a feed or a service that deals are read from by themselves, every few
          minutes. Choose what yours is: its first rows are shown before anything is stored.
        </Notice>
        <KindChoice kinds={kinds} />
      </>
    )
  const { isWell, text } = summaryOf(sources, shop.number)
  const Icon = isWell ? IconCircleCheck : IconAlertTriangle
  return (
    <>
      <div className={classes.top}>
        <h2 ref={heading} tabIndex={-1} className={classes.summary} data-well={isWell}>
          <Icon size={22} aria-hidden />
          <span>{text}</span>
        </h2>
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={onAdd}>
          Add source
        </Button>
      </div>
      <div>
        {/* Each line says to those who listen what its parts are. */}
        <div className={rows.head} aria-hidden>
          {columns.map((column) => (
            <span key={column}>{column}</span>
          ))}
        </div>
        <ul className={rows.list} aria-label="List of sources">
          {inOrder(sources).map((source) => (
            <SourceRow
              key={source.id}
              source={source}
              kind={kinds.find(({ kind }) => kind === source.kind)?.label ?? source.kind}
              shop={shop}
              now={now}
              {...actionsOf(source)}
            />
          ))}
        </ul>
      </div>
    </>
  )
}
