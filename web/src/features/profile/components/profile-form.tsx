import { Button, Group, type InputWrapperProps, Textarea, TextInput } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { displayName, longest, type Profile, type ProfileField } from '../view/profile.ts'
import { mergeProfile, type ProfileProblems, profileProblems, tidyProfile } from '../view.ts'
import { AvatarField } from './avatar-field.tsx'
import classes from './profile-form.module.css'

type ProfileFormProps = {
  profile: Profile
  accountName: string
  onSave: (profile: Profile) => void
  onCancel: () => void
}

const wrapperOrder = [
  'label',
  'input',
  'description',
  'error',
] satisfies InputWrapperProps['inputWrapperOrder']

/** The profile's fields, checked when they are saved. */
export function ProfileForm({ profile, accountName, onSave, onCancel }: ProfileFormProps) {
  const form = useRef<HTMLFormElement>(null)
  const [opened] = useState(profile)
  const [fields, setFields] = useState(profile)
  const [problems, setProblems] = useState<ProfileProblems>({})

  useEffect(() => {
    form.current?.querySelector<HTMLElement>('[name="username"]')?.focus()
  }, [])

  useEffect(() => {
    const [wrong] = Object.keys(problems)
    if (wrong) form.current?.querySelector<HTMLElement>(`[name="${wrong}"]`)?.focus()
  }, [problems])

  const field = (name: Exclude<ProfileField, 'avatar'>) => ({
    name,
    size: 'md' as const,
    value: fields[name],
    maxLength: longest[name],
    error: problems[name],
    // A hint above one field would push it out of line with its neighbour.
    inputWrapperOrder: wrapperOrder,
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      setFields((now) => ({ ...now, [name]: value })),
  })

  return (
    <form
      ref={form}
      className={classes.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        const found = profileProblems(fields)
        setProblems(found)
        if (Object.keys(found).length === 0) onSave(mergeProfile(opened, tidyProfile(fields), profile))
      }}
    >
      <AvatarField
        name={displayName(tidyProfile(fields))}
        picture={fields.avatar}
        onPicture={(avatar) => setFields((now) => ({ ...now, avatar }))}
      />
      <TextInput
        {...field('username')}
        label="Username"
        description={`Only how you are shown here. You sign in as ${accountName}.`}
        autoComplete="nickname"
      />
      <TextInput {...field('email')} label="Email" type="email" inputMode="email" autoComplete="email" />
      <TextInput {...field('firstName')} label="First name" autoComplete="given-name" />
      <TextInput {...field('lastName')} label="Last name" autoComplete="family-name" />
      <Textarea
        {...field('bio')}
        className={classes.wide}
        label="Bio"
        description={`${fields.bio.length} of ${longest.bio} characters`}
        rows={4}
      />
      <Group className={classes.wide} justify="flex-end" gap="xs">
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit">Save</Button>
      </Group>
    </form>
  )
}
