import { handledContract } from '@dealdeck/contract/api'
import { implement } from '@orpc/server'
import type { CallContext } from '../../platform/deps.ts'
import { isAdmin, requireAccount } from '../../platform/http/access.ts'
import { goneSignal } from '../../platform/http/gone-signal.ts'
import type { MemberGate } from '../../platform/limits/member-gate.ts'
import { takeTurn } from '../../platform/limits/read-gates.ts'
import { expectMatches } from './explaining/expecting.ts'
import { explainDeal } from './explaining/why.ts'
import type { AlertDeps } from './keeping/alert-deps.ts'
import { listAlerts, listTargets } from './keeping/alert-rows.ts'
import { addAlert, changeAlert, type Member, removeAlert } from './keeping/changing.ts'
import { changePeace, readPeace } from './peace/stored-peace.ts'

const contract = implement(handledContract.alerts).$context<CallContext>()

/** `changes` gives the turns at changing, `searches` those at counting what is found. */
export function alertHandlers(deps: AlertDeps, changes: MemberGate, searches: MemberGate) {
  const { databases } = deps
  const pool = databases.customPlanPool
  const memberOf = ({ request }: CallContext): Member => {
    const { id, username } = requireAccount(request)
    return { id, username, isAdministrator: isAdmin(request) }
  }
  const inTurn = async <T>(gate: MemberGate, context: CallContext, work: (member: Member) => Promise<T>) => {
    const member = memberOf(context)
    const turn = await takeTurn(gate, context.reply)
    return work(member).finally(() => turn.end())
  }
  return {
    list: contract.list.handler(async ({ context }) => ({
      items: await listAlerts(pool, memberOf(context)),
    })),
    create: contract.create.handler(({ input, context }) =>
      inTurn(changes, context, (member) => addAlert(deps, member, input)),
    ),
    change: contract.change.handler(({ input: { id, ...change }, context }) =>
      inTurn(changes, context, (member) => changeAlert(deps, member, id, change)),
    ),
    remove: contract.remove.handler(({ input, context }) =>
      inTurn(changes, context, (member) => removeAlert(deps, member, input.id)),
    ),
    expect: contract.expect.handler(({ input, context }) =>
      inTurn(searches, context, (member) => expectMatches(deps, member, input, goneSignal(context.reply))),
    ),
    why: contract.why.handler(({ input, context }) => explainDeal(deps, memberOf(context), input)),
    readPeace: contract.readPeace.handler(({ input, context }) =>
      readPeace(databases, memberOf(context), input.is_group),
    ),
    changePeace: contract.changePeace.handler(({ input: { is_group, ...given }, context }) =>
      inTurn(changes, context, (member) => changePeace(deps, member, is_group, given)),
    ),
    targets: contract.targets.handler(({ context }) => listTargets(pool, memberOf(context))),
  }
}
