import '@mantine/core/styles/Radio.layer.css'
import type { KindDescription } from '@dealdeck/contract/sources'
import { Button, Radio } from '@mantine/core'
import { SettingFields } from '../../../ui/setting-fields.tsx'
import type { Problems } from '../../../ui/typed-settings.ts'
import type { Draft } from '../view/draft.ts'
import type { Refusal } from '../view/refusals.ts'
import { CommonFields, type DecidedRules } from './common-fields.tsx'
import classes from './source-form.module.css'

type SourceFormProps = {
  kinds: readonly KindDescription[]
  kind: KindDescription
  draft: Draft
  proposed: string
  problems: Problems
  refusal: Refusal | undefined
  /** Names of the secrets that are stored, and what is decided of rules. */
  stored: readonly string[]
  decided: DecidedRules | undefined
  isNew: boolean
  /** Whether Enter tries it, as it should be before it is saved. */
  triesFirst: boolean
  isTrying: boolean
  isSaving: boolean
  /** `field`: what was typed into, as problems name it. */
  set: (part: Partial<Draft>, field: string) => void
  onKind: (kind: KindDescription) => void
  onTry: () => void
  onSave: () => void
  onCancel: () => void
  onOverwrite: () => void
  onAddAgain: () => void
}

/** All fields of a source, and what to do with them. */
export function SourceForm(props: SourceFormProps) {
  const { kinds, kind, draft, problems, refusal, stored, isNew, triesFirst, isTrying, isSaving, set } = props

  return (
    <div className={classes.side}>
      <div className={classes.form}>
        {isNew && (
          <Radio.Group
            label="Kind"
            value={kind.kind}
            onChange={(value) => {
              const next = kinds.find((known) => known.kind === value)
              if (next) props.onKind(next)
            }}
          >
            <div className={classes.kinds}>
              {kinds.map(({ kind: value, label }) => (
                <Radio key={value} value={value} label={label} />
              ))}
            </div>
          </Radio.Group>
        )}
        <p className={classes.help}>{kind.help}</p>
        <SettingFields
          fields={kind.fields}
          typed={draft}
          focusesFirst={isNew}
          {...{ stored, problems, set }}
        />
        <CommonFields
          draft={draft}
          proposed={props.proposed}
          problems={problems}
          decided={props.decided}
          allowsHistory={kind.allows_history}
          onChange={(part) => set(part, Object.keys(part)[0] ?? '')}
        />
        <div role="alert">
          {Object.keys(problems).length > 0 && (
            <p className={classes.words}>Nothing was saved or asked: see what is marked above.</p>
          )}
          {refusal && refusal.text !== '' && (
            <div className={classes.refusal}>
              <p className={classes.words}>{refusal.text}</p>
              {refusal.what === 'conflict' && (
                <Button variant="default" size="compact-sm" loading={isSaving} onClick={props.onOverwrite}>
                  Save over theirs
                </Button>
              )}
              {refusal.what === 'gone' && (
                <Button variant="default" size="compact-sm" onClick={props.onAddAgain}>
                  Make it a new source
                </Button>
              )}
            </div>
          )}
        </div>
      </div>
      <div className={classes.actions}>
        <Button
          {...(triesFirst ? { type: 'submit' } : { variant: 'default', onClick: props.onTry })}
          loading={isTrying}
        >
          Try
        </Button>
        <Button
          {...(triesFirst ? { variant: 'default', onClick: props.onSave } : { type: 'submit' })}
          loading={isSaving}
        >
          {isNew ? 'Add source' : 'Save'}
        </Button>
        <Button variant="default" onClick={props.onCancel}>
          Cancel
        </Button>
      </div>
    </div>
  )
}
