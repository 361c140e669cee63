import { handledContract } from '@dealdeck/contract/api'
import { implement } from '@orpc/server'
import type { CallContext } from '../../platform/deps.ts'
import { requireSession } from '../../platform/http/access.ts'
import { goneSignal } from '../../platform/http/gone-signal.ts'
import type { MemberGate } from '../../platform/limits/member-gate.ts'
import { addSource, changeSource, removeSource, runSourceNow } from './actions.ts'
import { listRuns, listSources, readAlarms } from './queries.ts'
import type { SourceDeps } from './running/source-deps.ts'
import { trySource } from './running/trying.ts'

const contract = implement(handledContract.sources).$context<CallContext>()

/** `tries` gives the turns at trying. */
export function sourceHandlers(deps: SourceDeps, tries: MemberGate) {
  const { db } = deps.databases
  const actorOf = ({ request }: CallContext) => requireSession(request).user
  return {
    list: contract.list.handler(async () => ({ items: await listSources(db, deps) })),
    kinds: contract.kinds.handler(() =>
      deps.kinds.map(({ kind, description, retention }) => ({
        ...{ kind, ...description },
        allows_history: retention?.history !== false,
      })),
    ),
    alarms: contract.alarms.handler(() => readAlarms(db, deps)),
    create: contract.create.handler(({ input, context }) => addSource(deps, input, actorOf(context))),
    try: contract.try.handler(async ({ input, context }) => {
      const gone = goneSignal(context.reply)
      const turn = await tries.enter(String(actorOf(context).id), gone)
      return trySource(deps, input, gone).finally(() => turn.end())
    }),
    change: contract.change.handler(({ input: { id, ...change }, context }) =>
      changeSource(deps, id, change, actorOf(context)),
    ),
    remove: contract.remove.handler(({ input, context }) => removeSource(deps, input.id, actorOf(context))),
    run: contract.run.handler(({ input, context }) => runSourceNow(deps, input.id, actorOf(context))),
    runs: contract.runs.handler(({ input }) => listRuns(db, input)),
  }
}
