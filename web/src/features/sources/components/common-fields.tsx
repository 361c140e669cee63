import '@mantine/core/styles/Checkbox.layer.css'
import type { Source } from '@dealdeck/contract/sources'
import { Checkbox, NativeSelect, Switch, TextInput } from '@mantine/core'
import type { Problems } from '../../../ui/typed-settings.ts'
import { type Draft, longestName, pauseChoices } from '../view/draft.ts'
import classes from './common-fields.module.css'

export type DecidedRules = Pick<Source, 'trusted_rules' | 'refused_rules'>

type CommonFieldsProps = {
  draft: Draft
  /** What is proposed as a name until one is typed. */
  proposed: string
  problems: Problems
  /** What is stored of the source's rules. */
  decided: DecidedRules | undefined
  /** Whether the terms of its kind allow a history of prices. */
  allowsHistory: boolean
  onChange: (part: Partial<Draft>) => void
}

const leaving = [
  { part: 'price', label: 'The price' },
  { part: 'picture', label: 'The picture' },
  { part: 'title', label: 'The title' },
] as const

/** What every source has, whatever its kind. */
export function CommonFields(props: CommonFieldsProps) {
  const { draft, proposed, problems, decided, allowsHistory, onChange } = props
  return (
    <>
      <TextInput
        name="name"
        label="Name"
        size="md"
        autoComplete="off"
        maxLength={longestName}
        value={draft.isNamed ? draft.name : proposed}
        error={problems.name}
        onChange={({ currentTarget: { value } }) => onChange({ name: value, isNamed: true })}
      />
      <fieldset className={classes.group}>
        <legend className={classes.legend}>How often it is asked</legend>
        <p className={classes.help}>As often as something new comes, between these two.</p>
        <div className={classes.pair}>
          {(['interval_from', 'interval_to'] as const).map((name) => (
            <NativeSelect
              key={name}
              name={name}
              label={name === 'interval_from' ? 'At most every' : 'At least every'}
              data={pauseChoices(draft[name])}
              value={String(draft[name])}
              error={problems[name]}
              onChange={({ currentTarget: { value } }) => onChange({ [name]: Number(value) })}
            />
          ))}
        </div>
      </fieldset>
      <Switch
        name="keeps_history"
        label="Keep its prices as history"
        description={
          allowsHistory
            ? 'Off where its terms don’t allow it: its deals show no price history from it.'
            : 'The terms of this service allow none, so none is kept.'
        }
        disabled={!allowsHistory}
        checked={allowsHistory && draft.keeps_history}
        onChange={(event) => onChange({ keeps_history: event.currentTarget.checked })}
      />
      <fieldset className={classes.group}>
        <legend className={classes.legend}>What may leave this site, in messages and feeds</legend>
        <div className={classes.boxes}>
          {leaving.map(({ part, label }) => (
            <Checkbox
              key={part}
              name={`may_leave.${part}`}
              label={label}
              checked={draft.may_leave[part]}
              onChange={({ currentTarget: { checked } }) =>
                onChange({ may_leave: { ...draft.may_leave, [part]: checked } })
              }
            />
          ))}
        </div>
      </fieldset>
      <Switch
        name="is_paused"
        label="Paused"
        description="It is not asked until somebody resumes it."
        checked={draft.is_paused}
        onChange={(event) => onChange({ is_paused: event.currentTarget.checked })}
      />
      {ruleLists.map(({ name, legend }) => (
        <RuleBoxes
          key={name}
          name={name}
          legend={legend}
          rules={decided?.[name] ?? []}
          kept={draft[name]}
          onChange={(kept) => onChange({ [name]: kept })}
        />
      ))}
    </>
  )
}

const ruleLists = [
  { name: 'trusted_rules', legend: 'Rules that don’t hold its rows' },
  { name: 'refused_rules', legend: 'Rules that refuse its rows at once' },
] as const

type RuleBoxesProps = {
  name: keyof DecidedRules
  legend: string
  /** What is stored, and what of that stays. */
  rules: readonly string[]
  kept: readonly string[]
  onChange: (kept: string[]) => void
}

/** What was decided of rules in quarantine, which can be taken back here. */
function RuleBoxes({ name, legend, rules, kept, onChange }: RuleBoxesProps) {
  if (rules.length === 0) return null
  return (
    <fieldset className={classes.group}>
      <legend className={classes.legend}>{legend}</legend>
      <div className={classes.boxes}>
        {rules.map((rule) => (
          <Checkbox
            key={rule}
            name={`${name}.${rule}`}
            label={rule.replaceAll('_', ' ')}
            checked={kept.includes(rule)}
            onChange={({ currentTarget: { checked } }) =>
              onChange(rules.filter((other) => (other === rule ? checked : kept.includes(other))))
            }
          />
        ))}
      </div>
    </fieldset>
  )
}
