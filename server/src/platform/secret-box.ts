import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { makeKeyFile, readKey, readKeyFile } from './key-file.ts'
import type { Settings } from './settings.ts'

const [nonceBytes, tagBytes] = [12, 16]
const sealedShape = /^v1\.([\w-]{11})\.([\w-]{38,})$/

/** Where a sealed text belongs: sealed for one place it can be opened at no other. */
export const secretPlaces = {
  /** The secrets of a source. */
  source: (id: number): string => `sources.secrets ${id}`,
  /** The secrets of a destination, a JSON object. */
  destination: (id: number): string => `destinations.secrets ${id}`,
  /** The code that links a destination, where it is shown again. */
  destinationCode: (id: number): string => `destinations.code ${id}`,
  /** A token that a service has lent. */
  serviceToken: (keyHash: Uint8Array): string =>
    `service_tokens.token ${Buffer.from(keyHash).toString('hex')}`,
}

/** A sealed text can't be opened. The message is for administrators, and holds no secret. */
export class SecretError extends Error {
  override readonly name = 'SecretError'
}

/**
 * Seals what the database must not show: with AES-256-GCM, and keys that are not in it. The key is SECRET_KEY or, without it, the
 * first one in DATA_DIR, which is made at first need. Files are read each time, so that all processes know a new key at once.
 */
export class SecretBox {
  readonly #given: readonly Buffer[]
  readonly #old: readonly Buffer[]
  readonly #dataDir: string

  constructor(settings: Pick<Settings, 'SECRET_KEY' | 'SECRET_KEY_OLD' | 'DATA_DIR'>) {
    this.#given = keysOf(settings.SECRET_KEY)
    this.#old = keysOf(settings.SECRET_KEY_OLD)
    this.#dataDir = settings.DATA_DIR
  }

  /** Seals a text for one of `secretPlaces`. Throws one clear line when there is no key and none can be made. */
  async seal(text: string, place: string): Promise<string> {
    const [key] = await this.keys()
    const [made] = key ? [key] : await makeKeyFile(this.#dataDir)
    if (!made) throw new Error('There is no key to seal secrets with.')
    return sealWith(made, text, place)
  }

  /** The text that was sealed for this place. Throws a SecretError when its key isn't there, or it was changed or moved. */
  async open(sealed: string, place: string): Promise<string> {
    return openWith(await this.keys(), sealed, place)
  }

  /** All keys that are there now, the one that seals first. Throws one clear line when their file can't be read. */
  async keys(): Promise<Buffer[]> {
    return [...this.#given, ...(await readKeyFile(this.#dataDir)), ...this.#old]
  }
}

/** `v1.`, the id of the key, and nonce, sealed text and tag in base64url. */
export function sealWith(key: Buffer, text: string, place: string): string {
  const nonce = randomBytes(nonceBytes)
  const start = `v1.${idOf(key)}.`
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
  cipher.setAAD(Buffer.from(start + place))
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return start + sealed.toString('base64url')
}

/** What `sealWith` has sealed with one of the keys for this place. Throws a SecretError. */
export function openWith(keys: readonly Buffer[], sealed: string, place: string): string {
  const [, id = '', body = ''] = sealedShape.exec(sealed) ?? []
  if (id === '') throw damaged()
  const key = keys.find((each) => idOf(each) === id)
  if (!key)
    throw new SecretError(
      `A secret is sealed with a key (${id}) that this process does not have. Give it that key as SECRET_KEY or SECRET_KEY_OLD, or the file secret.key of the DATA_DIR it was sealed with. If the key is lost, enter the secret again.`,
    )
  const bytes = Buffer.from(body, 'base64url')
  // Base64 can be written in more than one way, a sealed text can't.
  if (bytes.toString('base64url') !== body) throw damaged()
  const nonce = bytes.subarray(0, nonceBytes)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(`v1.${id}.${place}`))
  decipher.setAuthTag(bytes.subarray(-tagBytes))
  try {
    return decipher.update(bytes.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    throw damaged()
  }
}

/** Whether a text was sealed with this key. */
export function isSealedWith(key: Buffer, sealed: string): boolean {
  return sealedShape.exec(sealed)?.[1] === idOf(key)
}

/** Tells keys apart, and says nothing of them. */
function idOf(key: Buffer): string {
  return createHash('sha256')
    .update('dealdeck key id\n')
    .update(key)
    .digest()
    .subarray(0, 8)
    .toString('base64url')
}

function keysOf(setting: string): Buffer[] {
  return setting.split(',').flatMap((text) => readKey(text.trim()) ?? [])
}

function damaged(): SecretError {
  return new SecretError('A secret can’t be opened: it was changed, or comes from elsewhere. Enter it again.')
}
