import type { Delivery } from '@dealdeck/contract/deliveries'
import { CompiledQuery } from 'kysely'
import { withOwnChanges } from '../../../platform/accounts/own-changes.ts'
import { AppError } from '../../../platform/errors.ts'
import { type Actor, recordChange } from '../../audit/actions.ts'
import { publishDeliveries } from '../live.ts'
import { isStillShown, readDelivery, type Viewer } from '../queries.ts'
import { deliveryGone } from '../rules.ts'
import { outboxChannel } from '../sending/waking.ts'
import type { DestinationDeps } from './destination-deps.ts'
import { takePaced } from './pacing.ts'

const refused = (text: string) => new AppError('UNPROCESSABLE', text)

/**
 * Sends a message of the log once more, with what is true of its deals then, as a new one. Administrators may do so with everybody's. Throws
 * NOT_FOUND, TOO_MANY_REQUESTS, and UNPROCESSABLE where all of its deals ended or are not shown any more or it was no message about deals.
 */
export async function replayDelivery(
  deps: Pick<DestinationDeps, 'databases'>,
  member: Viewer & Actor,
  id: number,
): Promise<Delivery> {
  const newId = await withOwnChanges(deps.databases, member.id, async (transaction) => {
    const found = await transaction
      .selectFrom('deliveries as d')
      .innerJoin('destinations as t', 't.id', 'd.destination_id')
      .select([
        'd.kind',
        'd.is_urgent',
        't.id as destination_id',
        't.owner_id',
        't.name',
        't.state',
        't.is_paused',
      ])
      .where('d.id', '=', id)
      .executeTakeFirst()
    if (!found || (found.owner_id !== member.id && !member.isAdministrator)) throw deliveryGone()
    const { kind, is_urgent, destination_id, owner_id: ownerId, name } = found
    if (kind === 'notice') throw refused('A notice about a destination is not sent again.')
    if (found.state === 'unconfirmed') throw refused('Nothing can be sent there before it is confirmed.')
    if (found.state === 'gone') throw refused('There is nothing there any more. Add the destination anew.')
    if (found.is_paused) throw refused('The destination is paused. Resume it first.')
    await takePaced(transaction, 'replay', member.id)
    const added = await transaction
      .insertInto('deliveries')
      // Without the episode, whose messages are counted; its deals say which one they belong to.
      .values({ destination_id, kind, state: 'queued', is_urgent, next_at: new Date() })
      .returning('id')
      .executeTakeFirstOrThrow()
    const copied = await transaction
      .insertInto('delivery_deals')
      .columns(['delivery_id', 'deal_id', 'episode_id', 'alert_ids', 'price'])
      .expression((eb) =>
        eb
          .selectFrom('delivery_deals as told')
          .innerJoin('deals', 'deals.id', 'told.deal_id')
          .select(({ lit }) => [lit(added.id).as('delivery_id'), 'told.deal_id', 'told.episode_id'])
          .select(['told.alert_ids', 'told.price'])
          .where('told.delivery_id', '=', id)
          .where(isStillShown),
      )
      .executeTakeFirst()
    if ((copied.numInsertedOrUpdatedRows ?? 0n) === 0n)
      throw refused('All of its deals ended or are not shown any more, so it is not sent again.')
    if (ownerId !== member.id)
      await recordChange(transaction, {
        ...{ actor: { id: member.id, username: member.username }, action: 'add', before: null },
        subject: { kind: 'delivery', id: added.id, name },
        after: { sent_again: id },
      })
    await transaction.executeQuery(CompiledQuery.raw(`select pg_notify('${outboxChannel}', '')`))
    await publishDeliveries(transaction, { ownerId, changed: 'log', destinationId: destination_id })
    return added.id
  })
  return readDelivery(deps.databases.db, member, newId)
}
