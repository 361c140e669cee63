import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { whenDone } from './cleanup.ts'
import { listening } from './listening.ts'

export type PushService = {
  base: string
  /** A subscription of a browser, as a destination keeps it. */
  secrets: { endpoint: string; p256dh: string; auth: string }
  /** What came, in order: decrypted, and who says to have sent it. */
  pushes: { headers: IncomingHttpHeaders; bytes: number; payload: unknown; claims: Claims }[]
  /** Statuses instead of 201, one for each request. */
  answers: { status: number; headers?: Record<string, string>; body?: string }[]
}

type Claims = { aud: string; exp: number; sub: string; key: string }

/** A push service and a browser in one, made from RFC 8030, 8188, 8291 and 8292: what it can't decrypt or verify is an error. */
export async function pushService(): Promise<PushService> {
  const browser = createECDH('prime256v1')
  browser.generateKeys()
  const auth = randomBytes(16)
  const state: Pick<PushService, 'pushes' | 'answers'> = { pushes: [], answers: [] }
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(Buffer.from(piece))
    const body = Buffer.concat(pieces)
    const { headers } = request
    const text = decrypt(body, browser, auth)
    const claims = claimsOf(headers.authorization ?? '')
    state.pushes.push({ headers, bytes: body.length, payload: JSON.parse(text), claims })
    const { status, headers: more = {}, body: said = '' } = state.answers.shift() ?? { status: 201 }
    response.writeHead(status, more).end(said)
  })
  const base = await listening(server)
  whenDone(async () => {
    server.close()
    server.closeAllConnections()
  })
  const secrets = {
    endpoint: `${base}/push/${randomBytes(16).toString('base64url')}`,
    ...{ p256dh: browser.getPublicKey('base64url'), auth: auth.toString('base64url') },
  }
  return Object.assign(state, { base, secrets })
}

/** RFC 8291 with one record of RFC 8188. */
function decrypt(body: Buffer, browser: ReturnType<typeof createECDH>, auth: Buffer): string {
  const [salt, idLength] = [body.subarray(0, 16), body.readUInt8(20)]
  const [sender, sealed] = [body.subarray(21, 21 + idLength), body.subarray(21 + idLength)]
  if (body.readUInt32BE(16) < sealed.length) throw new Error('More than one record')
  const derive = (secret: Buffer, salt: Buffer, info: Buffer, length: number) =>
    Buffer.from(hkdfSync('sha256', secret, salt, info, length))
  const about = Buffer.concat([Buffer.from('WebPush: info\0'), browser.getPublicKey(), sender])
  const secret = derive(browser.computeSecret(sender), auth, about, 32)
  const key = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
  const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
  const decipher = createDecipheriv('aes-128-gcm', key, nonce)
  decipher.setAuthTag(sealed.subarray(-16))
  const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
  const end = padded.lastIndexOf(2)
  if (padded.subarray(end + 1).some((byte) => byte !== 0)) throw new Error('The padding is damaged')
  return padded.subarray(0, end).toString()
}

/** RFC 8292: a token that is signed with the key beside it. */
function claimsOf(authorization: string): Claims {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(authorization) ?? []
  const [head = '', claims = '', signature = ''] = token.split('.')
  const point = Buffer.from(key, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'))
  const jwk = { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' }
  const signer = { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const
  const isRight = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    signer,
    Buffer.from(signature, 'base64url'),
  )
  if (!isRight) throw new Error('The token is signed with another key')
  return { ...JSON.parse(Buffer.from(claims, 'base64url').toString()), key }
}
