import { priceProblem } from '@dealdeck/marketplace/prices'
import { Switch, TextInput } from '@mantine/core'
import { useEffect, useId, useRef, useState } from 'react'
import spoken from '../../../ui/unseen.module.css'
import { type Price, readAmount } from '../view.ts'
import classes from './price-filter.module.css'

type PriceFilterProps = {
  /** Null while the range is switched off. */
  price: Price | null
  /** The highest price a range starts with. */
  defaultMax: number
  currency: string
  onChange: (price: Price | null, how: 'typed' | 'chosen') => void
}

/** The price range: a switch, and two amounts while it is on. */
export function PriceFilter({ price, defaultMax, currency, onChange }: PriceFilterProps) {
  const problemId = useId()
  // Switching off and on again brings back what was typed.
  const last = useRef<Price>({ min: 0, max: defaultMax })
  if (price) last.current = price
  const problem = price && problemOf(price)
  return (
    <div className={classes.filter}>
      <Switch
        label="Price range"
        checked={price !== null}
        onChange={(event) => onChange(event.currentTarget.checked ? last.current : null, 'chosen')}
      />
      {price && (
        <fieldset className={classes.range} aria-describedby={problem ? problemId : undefined}>
          <legend className={spoken.unseen}>Price in {currency}</legend>
          <Amount label="Min" value={price.min} onAmount={(min) => onChange({ ...price, min }, 'typed')} />
          <span className={classes.to}>to</span>
          <Amount label="Max" value={price.max} onAmount={(max) => onChange({ ...price, max }, 'typed')} />
        </fieldset>
      )}
      <p id={problemId} className={classes.problem} role="status">
        {problem}
      </p>
    </div>
  )
}

function problemOf({ min, max }: Price): string | null {
  if (max === 0 && !min) return 'Nothing costs 0. Type a higher Max.'
  return priceProblem(min, max)
}

type AmountProps = { label: 'Min' | 'Max'; value: number | null; onAmount: (value: number) => void }

function Amount({ label, value, onAmount }: AmountProps) {
  const [text, setText] = useState(written(value))
  const settled = useRef(value)
  useEffect(() => {
    if (value === settled.current) return
    settled.current = value
    setText(written(value))
  }, [value])
  return (
    <TextInput
      className={classes.amount}
      type="number"
      inputMode="decimal"
      min={0}
      step={1}
      aria-label={`${label} price`}
      leftSection={label}
      leftSectionWidth="2.75rem"
      placeholder="No limit"
      autoComplete="off"
      value={text}
      onChange={(event) => {
        const typed = event.currentTarget.value
        settled.current = readAmount(typed)
        setText(typed)
        onAmount(settled.current)
      }}
      onFocus={(event) => event.currentTarget.select()}
      // What was no amount counts as 0, which is shown once nobody types any more.
      onBlur={() => setText(written(settled.current))}
    />
  )
}

function written(value: number | null): string {
  return value === null ? '' : String(value)
}
