import type { Destination, DestinationDescription } from '@dealdeck/contract/deliveries'
import { Button } from '@mantine/core'
import { ConfirmCode } from './components/confirm-code.tsx'
import { ConfirmLink } from './components/confirm-link.tsx'
import { DestinationState } from './components/destination-state.tsx'
import { SigningSecret } from './components/signing-secret.tsx'
import { TryDestination } from './components/try-destination.tsx'
import classes from './destination-page.module.css'
import { nextStepOf } from './view.ts'

type DestinationPageProps = {
  destination: Destination
  kind: DestinationDescription | undefined
  /** What was made for it just now and is shown this once. */
  secret: string | null
  /** What is told of there from now on, in words. */
  said: string | undefined
  /** Where whoever sets it up goes on. */
  next: { label: string; onNext: () => void }
}

/** A destination that is being set up: what confirms it, then a test with its answer, then on to what it is for. */
export function DestinationPage({ destination, kind, secret, said, next }: DestinationPageProps) {
  const step = nextStepOf(destination, kind?.confirmed_by)
  // What is to be done next is said where it is done.
  const isSaid = destination.is_code_sent || (step === 'link' && destination.link !== null)
  return (
    <div className={classes.card}>
      <div role="status">
        <DestinationState destination={destination} />
        {destination.state_text !== '' && !isSaid && <p className={classes.text}>{destination.state_text}</p>}
        {said !== undefined && <p className={classes.said}>{said}</p>}
      </div>
      {secret !== null && <SigningSecret secret={secret} />}
      {step === 'link' && <ConfirmLink destination={destination} />}
      {step === 'code' && <ConfirmCode destination={destination} />}
      {step === 'nothing' && (
        <>
          <p className={classes.lead}>
            {kind?.can_edit
              ? 'Press Test: the newest deal is sent there now. When its price changes, that is told there, too.'
              : 'Press Test: the newest deal is sent there now.'}
          </p>
          <TryDestination destination={destination} isFirst />
          <div className={classes.next}>
            <Button variant="default" className={classes.button} onClick={next.onNext}>
              {next.label}
            </Button>
          </div>
        </>
      )}
    </div>
  )
}
