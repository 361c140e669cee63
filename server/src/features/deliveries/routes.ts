import { handledContract } from '@dealdeck/contract/api'
import { implement } from '@orpc/server'
import type { CallContext } from '../../platform/deps.ts'
import { isAdmin, requireAccount } from '../../platform/http/access.ts'
import type { MemberGate } from '../../platform/limits/member-gate.ts'
import { takeTurn } from '../../platform/limits/read-gates.ts'
import { addDestination, changeDestination, type Member, removeDestination } from './destinations/changing.ts'
import { confirmDestination, renewDestination } from './destinations/confirming.ts'
import type { DestinationDeps } from './destinations/destination-deps.ts'
import { replayDelivery } from './destinations/replaying.ts'
import { testDestination } from './destinations/testing.ts'
import { describeKinds, listDeliveries, listDestinations } from './queries.ts'
import { onlyAdministrators } from './rules.ts'

const contract = implement(handledContract.deliveries).$context<CallContext>()

/** `changes` gives the turns at changing, `tries` those at what asks a service meanwhile. */
export function deliveryHandlers(deps: DestinationDeps, changes: MemberGate, tries: MemberGate) {
  const { db } = deps.databases
  const viewerOf = ({ request }: CallContext): Member => {
    const { id, username } = requireAccount(request)
    return { id, username, isAdministrator: isAdmin(request) }
  }
  const inTurn = async <T>(gate: MemberGate, context: CallContext, work: (member: Member) => Promise<T>) => {
    const member = viewerOf(context)
    const turn = await takeTurn(gate, context.reply)
    return work(member).finally(() => turn.end())
  }
  return {
    listDestinations: contract.listDestinations.handler(async ({ context }) => ({
      items: await listDestinations(db, deps, viewerOf(context)),
    })),
    kinds: contract.kinds.handler(() => describeKinds(deps)),
    create: contract.create.handler(({ input, context }) =>
      inTurn(tries, context, (member) => addDestination(deps, member, input)),
    ),
    change: contract.change.handler(({ input: { id, ...change }, context }) =>
      inTurn(tries, context, (member) => changeDestination(deps, member, id, change)),
    ),
    remove: contract.remove.handler(({ input, context }) =>
      inTurn(changes, context, (member) => removeDestination(deps, member, input.id)),
    ),
    test: contract.test.handler(({ input, context }) =>
      inTurn(tries, context, (member) => testDestination(deps, member, input.id)),
    ),
    confirm: contract.confirm.handler(({ input, context }) =>
      inTurn(changes, context, (member) => confirmDestination(deps, member, input.id, input.code)),
    ),
    renew: contract.renew.handler(({ input, context }) =>
      inTurn(tries, context, (member) => renewDestination(deps, member, input.id)),
    ),
    list: contract.list.handler(({ input, context }) => {
      const viewer = viewerOf(context)
      if (input.all && !viewer.isAdministrator) throw onlyAdministrators()
      return listDeliveries(db, viewer, input)
    }),
    replay: contract.replay.handler(({ input, context }) =>
      inTurn(changes, context, (member) => replayDelivery(deps, member, input.id)),
    ),
  }
}
