import { handledContract } from '@dealdeck/contract/api'
import { readAsin } from '@dealdeck/marketplace/asin'
import { imageLink } from '@dealdeck/marketplace/image-links'
import { implement } from '@orpc/server'
import type { AppDeps, CallContext } from '../../platform/deps.ts'
import { AppError } from '../../platform/errors.ts'

const contract = implement(handledContract.images).$context<CallContext>()

export function imageHandlers({ settings }: AppDeps) {
  return {
    get: contract.get.handler(({ input }) => {
      const read = readAsin(input.asin)
      if ('problem' in read)
        throw new AppError('UNPROCESSABLE', read.problem, { fields: { asin: read.problem } })
      return { url: imageLink(read.asin, input.size, settings.MARKETPLACE.domain) }
    }),
  }
}
