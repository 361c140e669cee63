import { FetchError } from './safe-fetch.ts'

/** What is wrong with a certificate, by OpenSSL's and Node's names. */
const certificateCodes =
  /^(CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_ALTNAME|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|ERROR_IN_CERT_)/

/**
 * What a request has failed with, as a FetchError. The error of the system or of a library is left out altogether, for it may hold
 * what the other side has sent; its code is of a list of theirs.
 */
export function explainFailure(error: unknown): FetchError {
  if (error instanceof FetchError) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const named = /^[A-Z][A-Z0-9_]{2,60}$/.test(code) ? ` (${code})` : ''
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT')
    return new FetchError('time', 'No connection came about in time. Check the address, or try again later.')
  if (code === 'ENOTFOUND' || code.startsWith('EAI_')) {
    // The name is ours: it is what was asked for.
    const host =
      error instanceof Error && 'hostname' in error ? ` ${String(error.hostname).slice(0, 100)}` : ''
    return new FetchError(
      'name',
      `The host${host} is not known here${named}. Check the spelling of the address, or whether this machine reaches the internet.`,
    )
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return new FetchError('size', 'The headers of the answer are larger than what is read.')
  if (certificateCodes.test(code))
    return new FetchError('certificate', `The certificate of that host is not valid${named}.`)
  return new FetchError('connection', `The connection failed or broke off${named}. Try again later.`)
}
