import type { AuditAction, AuditKind } from '@dealdeck/contract/audit'
import { Button, NativeSelect, TextInput } from '@mantine/core'
import spoken from '../../../ui/unseen.module.css'
import { type AuditFilters, actionLabels, isUnfiltered, kindLabels, noAuditFilters } from '../view.ts'
import classes from './audit-filters.module.css'

type AuditFilterBarProps = {
  filters: AuditFilters
  actors: readonly string[]
  onChange: (filters: AuditFilters) => void
}

// The record has exactly the names of the contract, which `Object.keys` can't say.
const kinds = Object.keys(kindLabels) as AuditKind[]
// As above.
const actions = Object.keys(actionLabels) as AuditAction[]

/** Narrows the list by who, what and when. */
export function AuditFilterBar({ filters, actors, onChange }: AuditFilterBarProps) {
  return (
    <fieldset className={classes.bar}>
      <legend className={spoken.unseen}>Filter the list</legend>
      <NativeSelect
        label="Who"
        value={filters.actor}
        data={[{ value: '', label: 'Everybody' }, ...actors]}
        onChange={(event) => onChange({ ...filters, actor: event.currentTarget.value })}
      />
      <NativeSelect
        label="What"
        value={filters.kind}
        data={[
          { value: '', label: 'Everything' },
          ...kinds.map((value) => ({ value, label: kindLabels[value] })),
        ]}
        onChange={({ currentTarget: { value } }) =>
          onChange({ ...filters, kind: kinds.find((kind) => kind === value) ?? '' })
        }
      />
      <NativeSelect
        label="Action"
        value={filters.action}
        data={[
          { value: '', label: 'Every action' },
          ...actions.map((value) => ({ value, label: actionLabels[value] })),
        ]}
        onChange={({ currentTarget: { value } }) =>
          onChange({ ...filters, action: actions.find((action) => action === value) ?? '' })
        }
      />
      <TextInput
        type="date"
        label="From"
        value={filters.from}
        onChange={(event) => onChange({ ...filters, from: event.currentTarget.value })}
      />
      <TextInput
        type="date"
        label="Until"
        value={filters.to}
        onChange={(event) => onChange({ ...filters, to: event.currentTarget.value })}
      />
      <Button
        variant="default"
        className={classes.clear}
        disabled={isUnfiltered(filters)}
        onClick={() => onChange(noAuditFilters)}
      >
        Clear
      </Button>
    </fieldset>
  )
}
