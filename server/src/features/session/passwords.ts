import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { hashCost } from '../../platform/accounts/hash-cost.ts'
import { MemberGate } from '../../platform/limits/member-gate.ts'

const tagLength = 32

/** Half of the threads that also compress answers and read files, and 38 MiB: however many want to sign in at once. */
const hashesAtOnce = 2
/** The threads are the process's, not an application's: so is this gate. All who come here had to wait in turn before. */
export const hashGate = new MemberGate({
  ...{ name: 'hashes', total: hashesAtOnce, perMember: hashesAtOnce, queue: Number.POSITIVE_INFINITY },
})
const argon2Async = promisify(argon2)

async function derive(password: string, salt: Buffer, memory: number, passes: number, parallelism: number) {
  const turn = await hashGate.enter('')
  try {
    return await argon2Async('argon2id', {
      ...{ message: password, nonce: salt, memory, passes, parallelism, tagLength },
    })
  } finally {
    turn.end()
  }
}

/** The argon2id hash of a password (already trimmed), in the usual `$argon2id$v=19$m=…` text form. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const { memory, passes, parallelism } = hashCost
  const tag = await derive(password, salt, memory, passes, parallelism)
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${text(salt)}$${text(tag)}`
}

/** Whether the password (already trimmed) belongs to the hash. False for a hash it can't read. */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const parts = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(hash)
  if (!parts) return false
  const [, memory, passes, parallelism, salt = '', tag = ''] = parts
  const expected = Buffer.from(tag, 'base64')
  const actual = await derive(
    password,
    Buffer.from(salt, 'base64'),
    Number(memory),
    Number(passes),
    Number(parallelism),
  )
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}
