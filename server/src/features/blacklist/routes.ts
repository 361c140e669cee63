import { handledContract } from '@dealdeck/contract/api'
import { implement } from '@orpc/server'
import type { AppDeps, CallContext } from '../../platform/deps.ts'
import { AppError } from '../../platform/errors.ts'
import { isAdmin, requireSession } from '../../platform/http/access.ts'
import { addWord, setWordActive } from './actions.ts'
import { listWords, previewWord } from './queries.ts'

const contract = implement(handledContract.blacklist).$context<CallContext>()

export function blacklistHandlers({ databases }: AppDeps) {
  return {
    list: contract.list.handler(({ input, context: { request } }) => {
      if (input.include_inactive && !isAdmin(request))
        throw new AppError('FORBIDDEN', 'Only an administrator may see inactive words.')
      return listWords(databases, input.include_inactive)
    }),
    preview: contract.preview.handler(({ input }) => previewWord(databases, input.word)),
    create: contract.create.handler(({ input, context }) =>
      addWord(databases, input.word, requireSession(context.request).user),
    ),
    update: contract.update.handler(({ input: { id, is_active }, context }) =>
      setWordActive(databases, id, is_active, requireSession(context.request).user),
    ),
    remove: contract.remove.handler(async ({ input, context }) => {
      await setWordActive(databases, input.id, false, requireSession(context.request).user)
    }),
  }
}
