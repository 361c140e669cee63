import type { Destination } from '@dealdeck/contract/deliveries'
import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { errorMessage } from '../../../platform/api-error.ts'
import { laterApi } from '../../../platform/later-client.ts'
import classes from './confirm.module.css'
import { SigningSecret } from './signing-secret.tsx'

/** Makes another signing secret for a destination that has one. */
export function RenewSecret({ destination: { id } }: { destination: Destination }) {
  const renew = useMutation(laterApi.deliveries.renew.mutationOptions({ gcTime: 0 }))
  const secret = renew.data?.signing_secret
  return (
    <section className={classes.step} aria-label="Another signing secret">
      {secret ? (
        <SigningSecret secret={secret} />
      ) : (
        <Button
          variant="default"
          className={classes.button}
          loading={renew.isPending}
          onClick={() => renew.mutate({ id })}
        >
          New signing secret
        </Button>
      )}
      <p className={classes.text}>
        The former one goes on signing beside a new one for a day, so that your program can learn it.
      </p>
      <p role="alert" className={classes.problem}>
        {renew.isError && errorMessage(renew.error)}
      </p>
    </section>
  )
}
