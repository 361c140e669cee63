import { Popover, Skeleton } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconChevronDown } from '@tabler/icons-react'
import { useId, useRef, useState } from 'react'
import { Dialog } from './dialog.tsx'
import classes from './multi-select.module.css'
import { OptionList, type OptionListProps } from './option-list.tsx'

type MultiSelectProps = Omit<OptionListProps, 'options' | 'startsInSearch' | 'onDone'> & {
  /** Asked for when it is opened; undefined while they are loaded. */
  options: (() => OptionListProps['options']) | undefined
}

const mostNames = 3

/** A field that opens a list to choose from: beside it where there is room, from the bottom edge on a phone. */
export function MultiSelect(props: MultiSelectProps) {
  const { label, options, chosen } = props
  const isWide = useMediaQuery('(min-width: 48em) and (min-height: 35em)', undefined, {
    getInitialValueInEffect: false,
  })
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const close = () => setOpen(false)

  if (options === undefined) {
    return (
      <div aria-busy="true">
        <span className={classes.label}>{label}</span>
        <Skeleton height="2.75rem" radius="md" />
      </div>
    )
  }
  const names = [...chosen].slice(0, mostNames)
  const more = chosen.size - names.length
  const field = (
    <button
      ref={button}
      type="button"
      className={classes.field}
      aria-haspopup="dialog"
      aria-expanded={isOpen}
      aria-labelledby={`${id}-label ${id}-value`}
      onClick={() => setOpen(!isOpen)}
    >
      <span id={`${id}-value`} className={classes.value} data-empty={chosen.size === 0 || undefined}>
        <span className={classes.names}>{names.length === 0 ? 'Any' : names.join(', ')}</span>
        {more > 0 && <span className={classes.more}> +{props.number(more)}</span>}
      </span>
      <IconChevronDown size={16} aria-hidden />
    </button>
  )
  return (
    <div className={classes.select}>
      <span id={`${id}-label`} className={classes.label}>
        {label}
      </span>
      {isWide ? (
        <Popover
          opened={isOpen}
          onChange={setOpen}
          position="bottom-start"
          width="target"
          offset={4}
          shadow="md"
          radius="md"
          trapFocus
          // Esc empties the search first.
          closeOnEscape={false}
          transitionProps={{ duration: 0 }}
          classNames={{ dropdown: classes.dropdown }}
        >
          <Popover.Target>{field}</Popover.Target>
          <Popover.Dropdown
            aria-labelledby={`${id}-label`}
            onKeyDown={(event) => {
              if (event.key !== 'Escape') return
              close()
              button.current?.focus()
            }}
          >
            {isOpen && <OptionList {...props} options={options()} startsInSearch />}
          </Popover.Dropdown>
        </Popover>
      ) : (
        field
      )}
      {isOpen && !isWide && (
        <Dialog title={label} asSheet onClose={close}>
          <OptionList {...props} options={options()} startsInSearch={false} onDone={close} />
        </Dialog>
      )}
    </div>
  )
}
