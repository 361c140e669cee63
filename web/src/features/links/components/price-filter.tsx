import { priceProblem } from '@dealdeck/marketplace/prices'
import { Switch, TextInput } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
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
  // Switching off and on again brings back what was typed.
  const last = useRef<Price>({ min: 0, max: defaultMax })
  if (price) last.current = price
  // What is wrong, the result says.
  const isWrong = price !== null && priceProblem(price.min, price.max) !== null
  return (
    <div className={classes.filter}>
      <Switch
        label="Price range"
        checked={price !== null}
        onChange={(event) => onChange(event.currentTarget.checked ? last.current : null, 'chosen')}
      />
      {price && (
        <fieldset className={classes.range}>
          <legend className={spoken.unseen}>Price in {currency}</legend>
          <Amount
            label="Min"
            value={price.min}
            isWrong={isWrong}
            onAmount={(min) => onChange({ ...price, min }, 'typed')}
          />
          <span className={classes.to}>to</span>
          <Amount
            label="Max"
            value={price.max}
            isWrong={isWrong}
            onAmount={(max) => onChange({ ...price, max }, 'typed')}
          />
        </fieldset>
      )}
    </div>
  )
}

type AmountProps = {
  label: 'Min' | 'Max'
  value: number | null
  isWrong: boolean
  onAmount: (value: number) => void
}

function Amount({ label, value, isWrong, onAmount }: AmountProps) {
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
      error={isWrong}
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
