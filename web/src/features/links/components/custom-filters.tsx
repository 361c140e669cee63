import type { NamedCode } from '@dealdeck/marketplace/filters'
import { Button } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import icon from '../../../ui/icon-button.module.css'
import { customFilters as store, useCustomFilters } from '../api.ts'
import { CustomDialog } from './custom-dialog.tsx'
import classes from './custom-filters.module.css'

type CustomFiltersProps = {
  /** Those in the link, which may come from somebody else's address. */
  chosen: readonly NamedCode[]
  onChange: (chosen: readonly NamedCode[]) => void
}

/** Filters of one's own: which of them are in the link, and the way to add and remove them. */
export function CustomFilters({ chosen, onChange }: CustomFiltersProps) {
  const kept = useCustomFilters()
  const [isAdding, setAdding] = useState(false)
  const [isLost, setLost] = useState(false)
  const others = chosen.filter((filter) => !kept.some(isSame(filter)))
  const all = [...kept, ...others]

  const keep = (filters: readonly NamedCode[]) => setLost(!store.set([...filters]))
  function remove(filter: NamedCode) {
    keep(kept.filter((other) => !isSame(filter)(other)))
    onChange(chosen.filter((other) => !isSame(filter)(other)))
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
                    onChange={() =>
                      onChange(
                        isChosen ? chosen.filter((other) => !isSame(filter)(other)) : [...chosen, filter],
                      )
                    }
                  />
                  <span className={classes.words}>
                    <span className={classes.name}>{filter.name}</span>
                    {filter.name !== filter.code && <code className={classes.code}>{filter.code}</code>}
                  </span>
                </label>
                {!kept.some(isSame(filter)) && (
                  <Button
                    variant="subtle"
                    className={classes.keep}
                    title="Keep it on this device"
                    aria-label={`Keep ${filter.name} on this device`}
                    onClick={() => keep([...kept, filter])}
                  >
                    Keep
                  </Button>
                )}
                <button
                  type="button"
                  className={`${icon.button} ${classes.remove}`}
                  aria-label={`Remove ${filter.name}`}
                  onClick={() => remove(filter)}
                >
                  <IconX size={18} aria-hidden />
                </button>
              </li>
            )
          })}
        </ul>
      )}
      {isLost && (
        <p className={classes.lost} role="alert">
          This device can’t keep custom filters; they last until the page is closed.
        </p>
      )}
      {isAdding && (
        <CustomDialog
          names={kept.map(({ name }) => name)}
          onAdd={(filter) => {
            keep([...kept, filter])
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
