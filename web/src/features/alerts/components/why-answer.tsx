import type { Why } from '@dealdeck/contract/alerts'
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react'
import type { Marketplace } from '../../../platform/money.ts'
import { StateMark } from '../../../ui/state-mark.tsx'
import classes from './why-answer.module.css'

type WhyAnswerProps = {
  why: Why
  /** The search, by its name. */
  name: string
  shop: Pick<Marketplace, 'ago' | 'exactTime'>
  now: number
}

/** Whether a deal matches a search, which parts it fails, and what was sent of it where. */
export function WhyAnswer({
  why: { matches, failed, deliveries, delivery },
  name,
  shop,
  now,
}: WhyAnswerProps) {
  // What nobody has a destination for has at most one answer.
  const sent = deliveries.length > 0 ? deliveries : delivery ? [{ ...delivery, destination: undefined }] : []
  return (
    <>
      <p className={classes.line}>
        <StateMark
          tone={matches ? 'good' : 'quiet'}
          Icon={matches ? IconCircleCheck : IconCircleX}
          label={matches ? 'Matches now' : 'Doesn’t match now'}
        />
      </p>
      {failed.length > 0 && (
        <>
          <h3 className={classes.heading}>What doesn’t fit</h3>
          <ul className={classes.failed} aria-label={`What of ${name} it doesn’t meet`}>
            {failed.map((part) => (
              <li key={part}>{part}</li>
            ))}
          </ul>
        </>
      )}
      {sent.length === 0 ? (
        <p className={classes.line}>Nothing was sent of it because of this search.</p>
      ) : (
        <ul className={classes.sent} aria-label="What was sent of it">
          {sent.map(({ destination, state, reason, at, next_at }) => (
            <li key={destination ?? ''}>
              {destination !== undefined && <strong dir="auto">{destination}: </strong>}
              {reason.replace(/\.$/, '')}
              {at !== null && (
                <>
                  {' ('}
                  <time dateTime={at} title={shop.exactTime(at)}>
                    {shop.ago(at, now)}
                  </time>
                  {')'}
                </>
              )}
              .
              {next_at !== null && (
                <>
                  {` The message will be ${state === 'sent' || state === 'edited' ? 'changed' : 'sent'} at `}
                  <time dateTime={next_at}>{shop.exactTime(next_at)}</time>
                </>
              )}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
