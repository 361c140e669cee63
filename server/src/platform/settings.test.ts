import { expect, test } from 'vitest'
import { readSettings } from './settings.ts'

test('nothing set gives the documented defaults', () => {
  expect(readSettings({})).toMatchObject({
    PORT: 3000,
    HOST: '127.0.0.1',
    DATA_DIR: './data',
    DATABASE_URL: '',
    MARKETPLACE: { domain: 'amazon.com', currency: 'USD' },
    SIGNUP_MODE: 'open',
    SAMPLE_DEALS: 'on',
    WORKERS: 'on',
    TRUSTED_PROXIES: ['loopback'],
    METRICS_TOKEN: '',
    SECRET_KEY: '',
    TELEGRAM_TOKEN: '',
    SECRET_KEY_OLD: '',
    FETCH_ALLOW: [],
    SMTP_URL: null,
    MAIL_FROM: null,
    DRAIN_SECONDS: 0,
    DATABASE_CONNECTIONS: 36,
    SLOW_STATEMENT_MS: 1000,
    CHANGES_KEPT_DAYS: 7,
  })
})

test('a mail server and a sender are read as they are commonly written', () => {
  const read = (SMTP_URL: string, MAIL_FROM: string) => {
    const settings = readSettings({ SMTP_URL, MAIL_FROM })
    return [settings.SMTP_URL, settings.MAIL_FROM]
  }
  expect(
    read('smtps://me%40example.org:p%3Aw@mail.example.org', 'Märchen Deals <deals@example.org>'),
  ).toEqual([
    {
      ...{ host: 'mail.example.org', port: 465, secure: true },
      auth: { user: 'me@example.org', pass: 'p:w' },
    },
    { name: 'Märchen Deals', address: 'deals@example.org' },
  ])
  expect(read('smtp://[::1]:2525', 'deals@localhost')).toEqual([
    { host: '::1', port: 2525, secure: false, auth: null },
    { name: '', address: 'deals@localhost' },
  ])
})

test('an empty variable counts as not set', () => {
  expect(readSettings({ PORT: '', SIGNUP_MODE: '' })).toMatchObject({ PORT: 3000, SIGNUP_MODE: 'open' })
})

test.each([
  [{ PORT: 'eighty' }, /^Setting PORT must be a port from 0 to 65535$/],
  [{ PORT: '70000' }, /^Setting PORT /],
  [{ MARKETPLACE: 'shop.example' }, /^Setting MARKETPLACE must be one of amazon\.com, /],
  [{ SIGNUP_MODE: 'sometimes' }, /^Setting SIGNUP_MODE must be open, approval or closed$/],
  [{ DATABASE_URL: 'mysql://x' }, /^Setting DATABASE_URL must start with postgres:\/\/$/],
  [{ AFFILIATE_TAG: 'a&b' }, /^Setting AFFILIATE_TAG may hold letters/],
  [{ ADMIN_USERNAME: 'boss' }, /^Setting ADMIN_USERNAME and ADMIN_PASSWORD must be given together$/],
  [{ ADMIN_USERNAME: 'boss', ADMIN_PASSWORD: '12345' }, /^Setting ADMIN_PASSWORD must be at least 6/],
  [{ TRUSTED_PROXIES: '10.0.0.0/8, proxy' }, /^Setting TRUSTED_PROXIES must be addresses or ranges, /],
  [
    { FETCH_ALLOW: '192.168.1.0/24,nas' },
    /^Setting FETCH_ALLOW must be addresses or networks, such as [\d./,:]+$/,
  ],
  ...[
    ...['mail.example.org', 'https://mail.example.org', 'smtp://', 'smtp://user@mail.example.org'],
    ...[
      'smtp://u:p%zz@mail.example.org',
      'smtp://mail.example.org/?pool=true',
      'smtp://mail.example.org:99999',
    ],
  ].map((SMTP_URL): [{ SMTP_URL: string }, RegExp] => [
    { SMTP_URL },
    /^Setting SMTP_URL must be an address such as smtps:\/\/user:password@smtp\.example\.org$/,
  ]),
  ...['deals', 'a@b, c@d', 'Deals <deals@example.org> more', 'De\r\nBcc: <a@b>', '<a@b>\n<c@d>'].map(
    (MAIL_FROM): [{ MAIL_FROM: string }, RegExp] => [
      { MAIL_FROM },
      /^Setting MAIL_FROM must be an e-mail address, such as /,
    ],
  ),
  [
    { SECRET_KEY: 'password' },
    /^Setting SECRET_KEY must be 32 bytes as base64 or hex, such as openssl rand -base64 32 prints$/,
  ],
  [
    { SECRET_KEY_OLD: `${'ab'.repeat(32)},password` },
    /^Setting SECRET_KEY_OLD must be former values of SECRET_KEY, separated by commas$/,
  ],
  [
    { TELEGRAM_TOKEN: 'my bot' },
    /^Setting TELEGRAM_TOKEN must be the token of a bot, as @BotFather shows it$/,
  ],
  [{ METRICS_TOKEN: 'short' }, /^Setting METRICS_TOKEN must be 16 to 200 letters, /],
  [{ CHANGES_KEPT_DAYS: '0' }, /^Setting CHANGES_KEPT_DAYS must be days from 1 to 365$/],
  [{ DRAIN_SECONDS: '301' }, /^Setting DRAIN_SECONDS must be seconds from 0 to 300$/],
  [{ DATABASE_CONNECTIONS: '15' }, /^Setting DATABASE_CONNECTIONS must be connections from 16 to 500$/],
  [{ DATABASE_CONNECTIONS: '36.5' }, /^Setting DATABASE_CONNECTIONS must be connections from 16 to 500$/],
  [{ SLOW_STATEMENT_MS: '60001' }, /^Setting SLOW_STATEMENT_MS must be milliseconds from 0 to 60000$/],
  [{ WORKERS: '2' }, /^Setting WORKERS must be on or off$/],
  [{ DRAIN_SECONDS: 'long' }, /^Setting DRAIN_SECONDS must be seconds from 0 to 300$/],
  [{ COMMUNITY_URL: 'javascript:alert(1)' }, /^Setting COMMUNITY_URL must be an http\(s\) address$/],
])('%o stops with one clear line', (environment, line) => {
  expect(() => readSettings(environment)).toThrow(line)
})
