import { useEffect, useState } from 'react'

/** Puts a text on the clipboard; false when that wasn't allowed. Call it from an event of the user's. */
export async function copyText(text: string): Promise<boolean> {
  if (window.isSecureContext) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    )
  }
  return copyBySelection(text)
}

/** Over plain http a browser has no clipboard to offer; the older command still works there. */
function copyBySelection(text: string): boolean {
  const focused = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  field.readOnly = true
  field.style.cssText = 'position:fixed;inset:0 auto auto 0;opacity:0'
  // Outside an open dialog nothing can be selected.
  const parent = document.querySelector('dialog[open]') ?? document.body
  parent.append(field)
  field.select()
  const done = document.execCommand('copy')
  field.remove()
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true })
  return done
}

/** What came of the last copy; `key` says what was copied where one screen has many things to copy. */
export type Copied = { key: string; ok: boolean }

/** Copies texts and remembers for so many milliseconds what came of the last one. */
export function useCopy(rememberMs: number) {
  const [copied, setCopied] = useState<Copied>()
  useEffect(() => {
    if (copied === undefined) return
    const timer = setTimeout(() => setCopied(undefined), rememberMs)
    return () => clearTimeout(timer)
  }, [copied, rememberMs])
  const copy = async (key: string, text: string) => setCopied({ key, ok: await copyText(text) })
  return { copied, copy }
}
