import type { Destination } from '@dealdeck/contract/deliveries'
import { Button, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { errorMessage } from '../../../platform/api-error.ts'
import { laterApi } from '../../../platform/later-client.ts'
import { putDestination } from '../api.ts'
import classes from './confirm.module.css'

/** Where the code is entered that was sent to a destination. */
export function ConfirmCode({ destination }: { destination: Destination }) {
  const { id, is_code_sent, settings } = destination
  const address = typeof settings.address === 'string' ? settings.address : 'there'
  const queries = useQueryClient()
  const [code, setCode] = useState('')
  const [problem, setProblem] = useState<string>()
  const confirm = useMutation(
    laterApi.deliveries.confirm.mutationOptions({
      onSuccess: (confirmed) => putDestination(queries, confirmed),
      onError: (error) => setProblem(errorMessage(error)),
    }),
  )
  const renew = useMutation(
    laterApi.deliveries.renew.mutationOptions({
      onSuccess: ({ signing_secret: _, ...renewed }) => putDestination(queries, renewed),
      onError: (error) => setProblem(errorMessage(error)),
    }),
  )
  function submit(event: FormEvent) {
    event.preventDefault()
    if (code.trim() === '') setProblem('Please enter the code from the message')
    else confirm.mutate({ id, code })
  }
  return (
    <form className={classes.step} noValidate onSubmit={submit}>
      {is_code_sent && (
        <p className={classes.lead}>
          A message with a code is on its way to <bdi className={classes.address}>{address}</bdi>. Enter the
          code here: it shows that the address is yours.
        </p>
      )}
      <div className={classes.entry}>
        <TextInput
          className={classes.field}
          label="Code"
          description={is_code_sent && 'Eight letters and digits. It holds for 15 minutes.'}
          name="code"
          size="md"
          autoComplete="one-time-code"
          autoCapitalize="characters"
          spellCheck={false}
          maxLength={20}
          autoFocus
          value={code}
          error={problem !== undefined}
          onChange={(event) => {
            setCode(event.currentTarget.value)
            setProblem(undefined)
          }}
        />
        <Button type="submit" className={classes.button} loading={confirm.isPending}>
          Confirm
        </Button>
      </div>
      <p role="alert" className={classes.problem}>
        {problem}
      </p>
      {is_code_sent && (
        <p className={classes.text}>
          Nothing there after a minute? Look into the folder for spam, or have another one sent.
        </p>
      )}
      <div className={classes.entry}>
        <Button
          variant="default"
          className={classes.button}
          loading={renew.isPending}
          onClick={() => renew.mutate({ id })}
        >
          Send another code
        </Button>
        <p role="status" className={classes.text}>
          {renew.data &&
            (renew.data.is_code_sent
              ? 'Another code is on its way. The one before holds no more.'
              : 'Once more no code could be sent.')}
        </p>
      </div>
    </form>
  )
}
