import type { Destination } from '@dealdeck/contract/deliveries'
import { useMarketplace } from '../../platform/money.ts'
import { useAlerts } from './live.ts'
import { toldOfText } from './view.ts'
import classes from './why-deal.module.css'

/** What goes to a destination, in a line. */
export function ToldOf({ destination }: { destination: Destination }) {
  const { number } = useMarketplace()
  const { data } = useAlerts()
  if (data === undefined) return <p className={classes.text}> </p>
  return <p className={classes.text}>{toldOfText(data.items, destination.id, number)}</p>
}
