import { randomBytes } from 'node:crypto'
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { whenDone } from '../../testing/cleanup.ts'
import { keyFileOf, readKey, writeKeyFile } from './key-file.ts'
import { openWith, SecretBox, SecretError, sealWith, secretPlaces } from './secret-box.ts'

const place = secretPlaces.source(7)
const base64Key = () => randomBytes(32).toString('base64')

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'dealdeck-keys-'))
  whenDone(() => rm(made, { recursive: true, force: true }))
  return join(made, 'data')
}

function boxOf(given: { SECRET_KEY?: string; SECRET_KEY_OLD?: string; DATA_DIR?: string }): SecretBox {
  return new SecretBox({ SECRET_KEY: '', SECRET_KEY_OLD: '', DATA_DIR: '/nowhere', ...given })
}

test('what is sealed is opened, and is another text each time', async () => {
  const box = boxOf({ SECRET_KEY: base64Key() })
  const secret = '{"key":"Ünlocked 🔑"}'
  const sealed = [await box.seal(secret, place), await box.seal(secret, place), await box.seal('', place)]
  expect(await Promise.all(sealed.map((text) => box.open(text, place)))).toEqual([secret, secret, ''])
  expect(new Set(sealed).size).toBe(3)
  expect(sealed.join()).not.toContain('locked')
})

test('not at another place, and not with a single character changed', async () => {
  const key = randomBytes(32)
  const sealed = sealWith(key, 'a secret', place)
  for (const other of [secretPlaces.source(70), secretPlaces.serviceToken(Buffer.from('7')), ''])
    expect(() => openWith([key], sealed, other)).toThrow(SecretError)
  for (const index of Array.from(sealed).keys()) {
    const changed = `${sealed.slice(0, index)}${sealed[index] === 'A' ? 'B' : 'A'}${sealed.slice(index + 1)}`
    expect(() => openWith([key], changed, place)).toThrow(SecretError)
  }
  for (const text of ['', 'v1', `v2${sealed.slice(2)}`, sealed.slice(0, 20), `${sealed}A`, 'a secret'])
    expect(() => openWith([key], text, place)).toThrow(SecretError)
})

test('another key says which one is missing and what to do, old keys open', async () => {
  const [before, after] = [base64Key(), base64Key()]
  const sealed = await boxOf({ SECRET_KEY: before }).seal('a secret', place)
  const lost = boxOf({ SECRET_KEY: after }).open(sealed, place)
  await expect(lost).rejects.toThrow(
    /sealed with a key \([\w-]{11}\) that this process does not have\. Give it that key/,
  )
  const both = boxOf({ SECRET_KEY: after, SECRET_KEY_OLD: `${base64Key()}, ${before}` })
  expect(await both.open(sealed, place)).toBe('a secret')
  const anew = await both.seal('a secret', place)
  expect(await boxOf({ SECRET_KEY: after }).open(anew, place)).toBe('a secret')
})

test('a key may be written as base64, base64url or hexadecimal', () => {
  const key = randomBytes(32)
  for (const text of [
    key.toString('base64'),
    key.toString('base64url'),
    key.toString('hex'),
    key.toString('hex').toUpperCase(),
  ])
    expect(readKey(text)).toEqual(key)
  for (const text of [
    '',
    'password',
    randomBytes(31).toString('base64'),
    randomBytes(33).toString('hex'),
    'ä'.repeat(43),
  ])
    expect(readKey(text)).toBeUndefined()
})

test('without a setting the key is a file that only its owner may read, made when it is needed', async () => {
  const DATA_DIR = await folder()
  const box = boxOf({ DATA_DIR })
  await expect(box.open(sealWith(randomBytes(32), 'a', place), place)).rejects.toThrow(SecretError)
  await expect(stat(DATA_DIR)).rejects.toThrow(/ENOENT/)
  const sealed = await box.seal('a secret', place)
  expect((await stat(keyFileOf(DATA_DIR))).mode & 0o777).toBe(0o600)
  expect((await stat(DATA_DIR)).mode & 0o066).toBe(0)
  expect(await boxOf({ DATA_DIR }).open(sealed, place)).toBe('a secret')
  expect(await readdir(DATA_DIR)).toEqual(['secret.key'])
})

test('processes that need a key at once agree on one', async () => {
  const DATA_DIR = await folder()
  const sealed = await Promise.all(
    Array.from({ length: 20 }, () => boxOf({ DATA_DIR }).seal('a secret', place)),
  )
  const box = boxOf({ DATA_DIR })
  for (const text of sealed) expect(await box.open(text, place)).toBe('a secret')
  expect(new Set(sealed.map((text) => text.split('.')[1])).size).toBe(1)
})

test('a new key in the file is used at once, and the old one still opens', async () => {
  const DATA_DIR = await folder()
  const box = boxOf({ DATA_DIR })
  const sealed = await box.seal('a secret', place)
  const [old] = await box.keys()
  const made = randomBytes(32)
  await writeKeyFile(DATA_DIR, [made, ...(old ? [old] : [])])
  expect(await box.open(sealed, place)).toBe('a secret')
  expect(openWith([made], await box.seal('more', place), place)).toBe('more')
})

test('from a file to a setting: what the file sealed is still opened', async () => {
  const DATA_DIR = await folder()
  const sealed = await boxOf({ DATA_DIR }).seal('a secret', place)
  const [SECRET_KEY, before] = [base64Key(), await readFile(keyFileOf(DATA_DIR), 'utf8')]
  const box = boxOf({ DATA_DIR, SECRET_KEY })
  expect(await box.open(sealed, place)).toBe('a secret')
  expect(await boxOf({ SECRET_KEY }).open(await box.seal('more', place), place)).toBe('more')
  expect(await readFile(keyFileOf(DATA_DIR), 'utf8')).toBe(before)
})

test.runIf(process.getuid?.() === 0)('written by root it is that of whoever has the folder', async () => {
  const DATA_DIR = await folder()
  await mkdir(DATA_DIR)
  await chown(DATA_DIR, 1234, 1235)
  await boxOf({ DATA_DIR }).seal('a', place)
  expect(await stat(keyFileOf(DATA_DIR))).toMatchObject({ uid: 1234, gid: 1235 })
})

test('a file that is damaged or can’t be written is one clear line', async () => {
  const DATA_DIR = await folder()
  await mkdir(DATA_DIR)
  await writeFile(keyFileOf(DATA_DIR), `${base64Key()}\nhalf a k`)
  await expect(boxOf({ DATA_DIR }).seal('a', place)).rejects.toThrow(/secret\.key is damaged: [^\n]+$/)
  const file = join(DATA_DIR, 'file')
  await writeFile(file, '')
  await chmod(file, 0o400)
  await expect(boxOf({ DATA_DIR: file }).seal('a', place)).rejects.toThrow(
    /^The keys for secrets can't be written [^\n]+ Set SECRET_KEY, /,
  )
})

test('no key is shown by what is written to a log', async () => {
  const SECRET_KEY = base64Key()
  const box = boxOf({ SECRET_KEY, SECRET_KEY_OLD: base64Key() })
  expect(`${inspect(box, { depth: 9, showHidden: true })}${JSON.stringify(box)}`).not.toContain(
    SECRET_KEY.slice(0, 8),
  )
  expect(inspect(box, { depth: 9 })).toBe('SecretBox {}')
})
