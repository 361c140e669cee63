import { TextInput } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'

type AmountInputProps = {
  label: string
  placeholder: string
  /** In the marketplace's currency; null is empty. */
  value: number | null
  /** Reads what is typed; undefined for what is no amount. */
  parse: (text: string) => number | null | undefined
  error?: string | undefined
  onAmount: (value: number | null) => void
}

const typingPauseMs = 600

/** A price, taken over after a pause in typing, on Enter or when left. What is no amount is said so and not taken over. */
export function AmountInput({ label, placeholder, value, parse, error, onAmount }: AmountInputProps) {
  const [text, setText] = useState(value === null ? '' : String(value))
  const settled = useRef(value)
  const amount = parse(text)

  useEffect(() => {
    if (value === settled.current) return
    settled.current = value
    setText(value === null ? '' : String(value))
  }, [value])

  function settle() {
    if (amount === undefined || amount === settled.current) return
    settled.current = amount
    onAmount(amount)
  }

  const latest = useRef(settle)
  latest.current = settle
  // biome-ignore lint/correctness/useExhaustiveDependencies: every keystroke starts the pause again
  useEffect(() => {
    const timer = setTimeout(() => latest.current(), typingPauseMs)
    return () => clearTimeout(timer)
  }, [text])

  return (
    <TextInput
      label={label}
      placeholder={placeholder}
      inputMode="decimal"
      autoComplete="off"
      maxLength={11}
      value={text}
      error={amount === undefined ? 'Type an amount such as 12.50' : error}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={settle}
      onKeyDown={(event) => {
        if (event.key === 'Enter') settle()
      }}
    />
  )
}
