import { normaliseFilterCode } from '@dealdeck/marketplace/filter-codes'
import { type FilterCategory, filterCategories } from '@dealdeck/marketplace/filters'
import type { LinkShop } from '@dealdeck/marketplace/search-links'
import { fragmentOfCode, linkOfCode } from '@dealdeck/marketplace/search-links'
import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { useMarketplace } from '../../../platform/money.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { lengthProblem } from '../../../ui/length-problem.ts'
import { useIsShown } from '../../../ui/use-is-shown.ts'
import { categoryLabels } from '../view.ts'
import classes from './filter-dialog.module.css'

export type FilterDraft = { category: FilterCategory; name: string; code: string }
/** What the server had against it, and where. */
export type DraftProblem = { message: string; field?: 'name' | 'code' | undefined }

type FilterDialogProps = {
  mode: 'add' | 'edit'
  draft: FilterDraft
  shop: LinkShop
  /** Saves it; answers what is wrong, or nothing when that is done and the dialog may go. */
  onSave: (draft: FilterDraft) => Promise<DraftProblem | undefined>
  /** Hears what is wrong where the dialog was closed before that was known. */
  onLateProblem: (text: string) => void
  onClose: () => void
}

/** The contract's own constant would bring the schema library into this screen. */
const longestCode = 2_000

const categories = filterCategories.map((value) => ({ value, label: categoryLabels[value] }))

/** Adds a filter or changes one; what its code becomes in a link is shown while it is typed. */
export function FilterDialog({ mode, draft, shop, onSave, onLateProblem, onClose }: FilterDialogProps) {
  const [category, setCategory] = useState(draft.category)
  const [name, setName] = useState(draft.name)
  const [code, setCode] = useState(draft.code)
  const [problem, setProblem] = useState<DraftProblem>()
  const [isBusy, setBusy] = useState(false)
  const becomesId = useId()
  const form = useRef<HTMLFormElement>(null)
  const isShown = useIsShown()
  useEffect(() => {
    if (problem?.field) form.current?.querySelector<HTMLElement>(`[name="${problem.field}"]`)?.focus()
  }, [problem])
  const { number } = useMarketplace()
  const read = code.trim() === '' ? undefined : normaliseFilterCode(code)
  const normal = read && 'code' in read ? read.code : undefined
  const tooLong = lengthProblem(code, longestCode, number)

  async function save(event: FormEvent) {
    event.preventDefault()
    if (name.trim() === '' || code.trim() === '') {
      setProblem({ message: 'Please enter both name and code' })
      return
    }
    if (tooLong) return
    if (read && 'problem' in read) {
      setProblem({ message: read.problem, field: 'code' })
      return
    }
    setBusy(true)
    const refused = await onSave({ category, name, code })
    setBusy(false)
    if (!refused) onClose()
    else if (isShown()) setProblem(refused)
    else onLateProblem(`“${name}” was not saved. ${refused.message}`)
  }

  return (
    <Dialog title={mode === 'add' ? 'Add a filter' : 'Edit filter'} onClose={onClose}>
      <form ref={form} className={classes.fields} noValidate onSubmit={(event) => void save(event)}>
        <NativeSelect
          label="Category"
          data={categories}
          value={category}
          onChange={({ currentTarget: { value } }) =>
            setCategory(filterCategories.find((known) => known === value) ?? category)
          }
        />
        <TextInput
          name="name"
          label="Name"
          autoComplete="off"
          data-autofocus
          maxLength={120}
          value={name}
          error={problem?.field === 'name' && problem.message}
          onChange={(event) => {
            setName(event.currentTarget.value)
            setProblem(undefined)
          }}
        />
        <TextInput
          name="code"
          label="Code"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={code}
          error={tooLong ?? (problem?.field === 'code' && problem.message)}
          aria-describedby={becomesId}
          onChange={(event) => {
            setCode(event.currentTarget.value)
            setProblem(undefined)
          }}
        />
        <div id={becomesId} className={classes.becomes}>
          {normal === undefined ? (
            'Such as p_8:50- or s=price-asc-rank; the address of a search works too.'
          ) : (
            <>
              In links: <code>{fragmentOfCode(normal)}</code>{' '}
              <a href={linkOfCode(normal, shop)} target="_blank" rel="noopener noreferrer">
                Try it
              </a>
            </>
          )}
        </div>
        <p role="alert" className={classes.problem}>
          {problem && problem.field === undefined && problem.message}
        </p>
        <Group className={classes.actions} justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isBusy}>
            {mode === 'add' ? 'Add filter' : 'Save'}
          </Button>
        </Group>
      </form>
    </Dialog>
  )
}
