import type { Destination } from '@dealdeck/contract/deliveries'
import { NativeSelect } from '@mantine/core'
import type { LogFilter } from '../api.ts'
import { deliveryLabels, deliveryStates } from '../view.ts'
import classes from './log-filters.module.css'

type LogFiltersProps = {
  filter: LogFilter
  destinations: readonly Destination[]
  searches: readonly { id: number; name: string }[]
  onChange: (filter: LogFilter) => void
}

/** What of the log is looked at. */
export function LogFilters({ filter, destinations, searches, onChange }: LogFiltersProps) {
  const choices = [
    { name: 'destination', label: 'Where', all: 'Everywhere', items: destinations },
    { name: 'search', label: 'Search', all: 'All searches', items: searches },
  ] as const
  return (
    <search className={classes.filters} aria-label="Filter the log">
      {choices.map(({ name, label, all, items }) => (
        <NativeSelect
          key={name}
          label={label}
          value={String(filter[name] ?? '')}
          data={[
            { value: '', label: all },
            ...items.map((item) => ({ value: `${item.id}`, label: item.name })),
          ]}
          onChange={({ currentTarget: { value } }) => {
            const { [name]: _before, ...others } = filter
            onChange(value === '' ? others : { ...others, [name]: Number(value) })
          }}
        />
      ))}
      <NativeSelect
        label="What became of it"
        value={filter.state ?? ''}
        data={[
          { value: '', label: 'Anything' },
          ...deliveryStates.map((state) => ({ value: state, label: deliveryLabels[state] })),
        ]}
        onChange={({ currentTarget: { value } }) => {
          const state = deliveryStates.find((known) => known === value)
          const { state: _before, ...others } = filter
          onChange(state ? { ...others, state } : others)
        }}
      />
    </search>
  )
}
