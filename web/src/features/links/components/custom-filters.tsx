import type { NamedCode } from '@dealdeck/marketplace/filters'
import { Button } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { errorMessage } from '../../../platform/api-error.ts'
import { compareNames } from '../../../platform/name-order.ts'
import icon from '../../../ui/icon-button.module.css'
import { useItemChanges } from '../api.ts'
import { useOwnItems } from '../live.ts'
import { CustomDialog } from './custom-dialog.tsx'
import classes from './custom-filters.module.css'

type CustomFiltersProps = {
  /** Another number for each set-up that is opened: what was left out of one is of no use in the next. */
  setup: number
  /** Those in the link, which may come from somebody else's address. */
  chosen: readonly NamedCode[]
  onChange: (chosen: readonly NamedCode[]) => void
}

/** Filters of one's own: which of them are in the link, and the way to add and remove them. */
export function CustomFilters({ setup, chosen, onChange }: CustomFiltersProps) {
  const { customFilters, problem } = useOwnItems()
  const { add, remove } = useItemChanges()
  const kept = customFilters.map(({ value }) => value)
  const [isAdding, setAdding] = useState(false)
  const [failure, setFailure] = useState<{ filter: NamedCode; wasKept: boolean; text: string }>()
  /** Those of a link stay here when they are taken out of it, or nobody could put them back. */
  const [left, setLeft] = useState<{ setup: number; filters: readonly NamedCode[] }>({ setup, filters: [] })
  const leftOut = left.setup === setup ? left.filters : []
  const setLeftOut = (filters: readonly NamedCode[]) => setLeft({ setup, filters })
  const others = [...chosen, ...leftOut.filter((filter) => !chosen.some(isSame(filter)))]
    .filter((filter) => !kept.some(isSame(filter)))
    .sort((a, b) => compareNames(a.name, b.name))
  const all = [...kept, ...others]
  /** Said for as long as it is so. */
  const failed = all.some(
    (filter) => failure && isSame(failure.filter)(filter) && kept.some(isSame(filter)) === failure.wasKept,
  )

  /** The link has the filter whether or not the account takes it. */
  async function keep(filter: NamedCode) {
    setFailure(undefined)
    try {
      await add.mutateAsync({ kind: 'link_filter', value: filter })
    } catch (error) {
      const text = `“${filter.name}” is not saved in your account. ${errorMessage(error)}`
      setFailure({ filter, wasKept: false, text })
    }
  }
  async function takeAway(filter: NamedCode) {
    setFailure(undefined)
    onChange(without(chosen, filter))
    setLeftOut(without(leftOut, filter))
    const own = customFilters.find(({ value }) => isSame(filter)(value))
    try {
      if (own) await remove.mutateAsync(own)
    } catch (error) {
      const text = `“${filter.name}” is still in your account. ${errorMessage(error)}`
      setFailure({ filter, wasKept: true, text })
    }
  }

  return (
    <section className={classes.section} aria-label="Custom filters">
      <div className={classes.head}>
        <h2 className={classes.title}>Custom filters</h2>
        <Button
          variant="subtle"
          leftSection={<IconPlus size={18} aria-hidden />}
          className={classes.add}
          onClick={() => setAdding(true)}
        >
          Add
        </Button>
      </div>
      {all.length > 0 && (
        <ul className={classes.list}>
          {all.map((filter) => {
            const isChosen = chosen.some(isSame(filter))
            return (
              <li key={`${filter.name}\n${filter.code}`} className={classes.row}>
                <label className={classes.what}>
                  <input
                    type="checkbox"
                    className={classes.check}
                    checked={isChosen}
                    aria-label={filter.name}
                    onChange={() => {
                      if (!kept.some(isSame(filter))) setLeftOut([...without(leftOut, filter), filter])
                      onChange(isChosen ? without(chosen, filter) : [...chosen, filter])
                    }}
                  />
                  <span className={classes.words}>
                    <span className={classes.name}>{filter.name}</span>
                    {filter.name !== filter.code && <code className={classes.code}>{filter.code}</code>}
                  </span>
                </label>
                {!kept.some(isSame(filter)) && !add.isPending && (
                  <Button
                    variant="subtle"
                    className={classes.keep}
                    title="Keep it in your account"
                    aria-label={`Keep ${filter.name} in your account`}
                    onClick={() => void keep(filter)}
                  >
                    Keep
                  </Button>
                )}
                <button
                  type="button"
                  className={`${icon.button} ${classes.remove}`}
                  aria-label={`Remove ${filter.name}`}
                  // At the second click of a double one the next filter may stand here.
                  onClick={({ detail }) => detail < 2 && void takeAway(filter)}
                >
                  <IconX size={18} aria-hidden />
                </button>
              </li>
            )
          })}
        </ul>
      )}
      {problem !== undefined && (
        <p className={classes.stale} role="status">
          {kept.length > 0
            ? 'Your custom filters can’t be fetched now; these are the ones this device saw last.'
            : 'Your custom filters can’t be fetched now.'}
        </p>
      )}
      <p className={classes.problem} role="alert">
        {failed && failure?.text}
      </p>
      {isAdding && (
        <CustomDialog
          names={kept.map(({ name }) => name)}
          onAdd={(filter) => {
            void keep(filter)
            if (!chosen.some(isSame(filter))) onChange([...chosen, filter])
          }}
          onClose={() => setAdding(false)}
        />
      )}
    </section>
  )
}

function isSame({ name, code }: NamedCode): (other: NamedCode) => boolean {
  return (other) => other.name === name && other.code === code
}

const without = (filters: readonly NamedCode[], filter: NamedCode) =>
  filters.filter((other) => !isSame(filter)(other))
