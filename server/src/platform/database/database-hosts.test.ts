import { expect, onTestFinished, test } from 'vitest'
import { DebianPostgres, hasDebianPostgres, password, urlOf } from '../../../testing/debian-postgres.ts'
import { openWeakLink } from '../../../testing/weak-link.ts'
import { DatabaseHosts } from './database-hosts.ts'

test.each([
  ['postgres://u:p@one:5432,two:5433/db?target_session_attrs=read-write', 'one:5432,two:5433/db', true],
  ['postgres://u:p@/db?host=one,two&port=5432,5433&target_session_attrs=any', 'one:5432,two:5433/db', false],
  ['postgres://u:p@one,two:5433/db', 'one:5432,two:5433/db', false],
  ['postgresql://u@one,two/db?port=6000', 'one:6000,two:6000/db', false],
  ['postgres://u:p%40@[::1]:1,[::2]:2/db?sslmode=require', '[::1]:1,[::2]:2/db', false],
  ['postgres://u@/db?host=/run/one,/run/two', '/run/one:5432,/run/two:5432/db', false],
  ['postgres://u:p@one/db?target_session_attrs=read-write', 'one:5432/db', true],
])('%s', (address, shownAddress, mustWrite) => {
  expect(new DatabaseHosts(address)).toMatchObject({ shownAddress, mustWrite })
})

test.each([
  [
    'postgres://u:p@one:5432,two:5433/db?sslmode=require&target_session_attrs=any',
    'postgres://u:p@one:5432/db?sslmode=require',
  ],
  ['postgres://u:p%40@[::1],two/db', 'postgres://u:p%40@[::1]/db'],
  ['postgres://u@%2Frun%2Fone:5433/db', 'postgres://u@localhost:5433/db?host=%2Frun%2Fone'],
  ['postgres://me@localhost', 'postgres://me@localhost/'],
  ['postgres://me@one/db?application_name=shop', 'postgres://me@one/db'],
  ['postgres://one?user=me@corp', 'postgres://one/?user=me%40corp'],
  ['postgres://?host=/run/one&user=me@corp', 'postgres://localhost/?user=me%40corp&host=%2Frun%2Fone'],
])('what the library gets of %s', (address, url) => {
  expect(new DatabaseHosts(address).url).toBe(url)
})

const unreadable =
  'Setting DATABASE_URL is not a PostgreSQL address (special characters must be percent-encoded).'
test.each([
  [
    'postgres://u:secret@one/db?target_session_attrs=standby',
    /: target_session_attrs must be read-write or any,/,
  ],
  ['postgres://u:secret@one,two,three/db?port=1,2', / must name as many ports as hosts, or one for all\.$/],
  ['postgres://u:secret@one:x/db', unreadable],
  ['postgres://u:sec/ret%@one/db', unreadable],
  ['postgres://u:secret@%zz/db', unreadable],
  [
    'postgres://u:secret@one/db?sslmode=verify-full&sslrootcert=/nowhere/ca.pem',
    "Setting DATABASE_URL names /nowhere/ca.pem, which can't be read (ENOENT).",
  ],
  ['postgres://u:sec#ret@one/db', unreadable],
  ['postgres://u:12?sec@one/db', unreadable],
])('%s is one line without the password', (address, line) => {
  expect(() => new DatabaseHosts(address)).toThrow(line)
  try {
    new DatabaseHosts(address)
  } catch (error) {
    expect(String(error)).not.toMatch(/sec|\n/)
  }
})

test.runIf(hasDebianPostgres)(
  'the one that can be written to is chosen, wherever it stands, and an outdated one never again',
  async () => {
    const one = await (await DebianPostgres.make()).start().isUp()
    const two = await one.standby('two')
    const any = new DatabaseHosts(urlOf(two.host, one.host))
    const strict = new DatabaseHosts(`${urlOf(two.host, one.host)}&target_session_attrs=read-write`)
    for (const hosts of [any, strict]) {
      await hosts.choose()
      expect(hosts.url).toBe(one.url)
    }

    await one.end('SIGQUIT')
    await any.choose()
    expect(any.url).toBe(two.url)
    await expect(strict.choose()).rejects.toThrow('none of its servers can be written to')

    await two.promote()
    await expect.poll(() => strict.choose().then(() => strict.url, String)).toBe(two.url)
    await any.choose()

    // It comes back as if nothing had happened: what is written there would be lost.
    await one.start().isUp()
    const late = new DatabaseHosts(urlOf(one.host, two.host))
    for (const hosts of [any, strict, late]) {
      await hosts.choose()
      expect(hosts.url).toBe(two.url)
    }
    // Also where the real one is slower to say so, and nobody has known it before.
    const link = await openWeakLink(two.url)
    onTestFinished(() => link.close())
    const slow = new DatabaseHosts(urlOf(one.host, new URL(link.url).host))
    link.freeze()
    setTimeout(() => link.mend(), 500)
    await slow.choose()
    expect(slow.url).toContain(new URL(link.url).host)

    await two.end('SIGQUIT')
    await expect(any.choose()).rejects.toThrow('was replaced by another one before')
    await expect(strict.choose()).rejects.not.toThrow(password)
  },
)
