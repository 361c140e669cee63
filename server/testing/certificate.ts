import { execFileSync, spawnSync } from 'node:child_process'

/** Whether what makes certificates is on this machine. */
export const canMakeCertificates = !spawnSync('openssl', ['version']).error

/** A certificate for one name, vouched for by nobody, and its key; both as PEM, for two days. */
export function makeCertificate(name: string): { key: string; cert: string } {
  const pem = execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
      ...['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`, '-keyout', '-', '-out', '-'],
    ],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  )
  const at = pem.indexOf('-----BEGIN CERTIFICATE')
  return { key: pem.slice(0, at), cert: pem.slice(at) }
}
