import { bodyText, jsonObject } from '../../../../platform/outgoing/service-answers.ts'
import type { RunContext } from '../source-kind.ts'
import { Problem, permanent, problemOf } from './answers.ts'
import type { CredentialVersion } from './form.ts'

/** Where tokens are lent: version 2 by Cognito, version 3 by the shop's own sign-in. */
const tokenUrls: Readonly<Record<CredentialVersion, string>> = {
  '2.1': 'https://creatorsapi.auth.us-east-1.amazoncognito.com/oauth2/token',
  '2.2': 'https://creatorsapi.auth.eu-south-2.amazoncognito.com/oauth2/token',
  '2.3': 'https://creatorsapi.auth.us-west-2.amazoncognito.com/oauth2/token',
  '3.1': 'https://api.amazon.com/auth/o2/token',
  '3.2': 'https://api.amazon.co.uk/auth/o2/token',
  '3.3': 'https://api.amazon.co.jp/auth/o2/token',
}
export type TokenUrls = typeof tokenUrls
export const productionTokenUrls = tokenUrls

const limits = { packedBytes: 100_000, bytes: 100_000, totalMs: 30_000 }

export type Credential = { version: CredentialVersion; id: string; secret: string }

const isForm = (version: CredentialVersion) => version.startsWith('2.')

/** The header that a token is sent in. */
export function authorization(version: CredentialVersion, token: string): string {
  return isForm(version) ? `Bearer ${token}, Version ${version}` : `Bearer ${token}`
}

/** The token of a credential that all processes share. `isRefused` is one that the interface no longer takes. Throws a Problem or a FetchError. */
export function tokenOf(
  context: RunContext,
  urls: TokenUrls,
  credential: Credential,
  isRefused?: string,
): Promise<string> {
  const { version, id, secret } = credential
  const renew = async () => {
    const answer = await context.ask(urls[version], {
      ...{ method: 'POST', limits, redirects: 0, signal: context.signal },
      ...questionOf(credential),
    })
    const document = jsonObject(await bodyText(answer.body))
    if (answer.status >= 500 || answer.status === 429)
      throw new Problem({ state: 'failed', text: `Asking for a token came to status ${answer.status}.` })
    const problem = answer.status === 403 && problemOf(answer, document, context.clock(), [id, secret])
    if (problem) throw problem
    if (answer.status !== 200)
      throw permanent('The credential is not accepted. Check its ID, its secret and its version.')
    const { access_token: token, expires_in: seconds } = document ?? {}
    if (typeof token !== 'string' || token === '')
      throw new Problem({ state: 'failed', text: 'Asking for a token brought an answer without one.' })
    return { token, seconds: typeof seconds === 'number' && seconds > 0 ? seconds : 3_600 }
  }
  return context.token(`creators:${version}:${id}:${secret}`, renew, isRefused)
}

function questionOf({ version, id, secret }: Credential) {
  const question = { grant_type: 'client_credentials', client_id: id, client_secret: secret }
  return isForm(version)
    ? {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ ...question, scope: 'creatorsapi/default' }).toString(),
      }
    : {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...question, scope: 'creatorsapi::default' }),
      }
}
