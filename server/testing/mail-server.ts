import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { type ParsedMail, simpleParser } from 'mailparser'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { whenDone } from './cleanup.ts'

export type MailServer = {
  /** With a user and a password; without them `port` at 127.0.0.1. */
  url: string
  port: number
  /** What it took, in order: the envelope, and the message as programs read it. */
  mails: { to: string[]; mail: ParsedMail; source: string }[]
  connections: number
}

export const mailPassword = 'pass:word@1'

/** A mail server of this machine, which refuses what `options` refuse. */
export async function mailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const state: MailServer = { url: '', port: 0, mails: [], connections: 0 }
  const server = new SMTPServer({
    ...{ closeTimeout: 10, authOptional: true, disabledCommands: ['STARTTLS'], allowInsecureAuth: true },
    onConnect: (_, done) => {
      state.connections += 1
      done()
    },
    onAuth: ({ username, password }, _, done) =>
      username === 'deals' && password === mailPassword
        ? done(null, { user: username })
        : done(new Error('No such user')),
    onData: (stream, { envelope }, done) => {
      const pieces: Buffer[] = []
      stream.on('data', (piece: Buffer) => pieces.push(piece))
      stream.on('end', async () => {
        const source = Buffer.concat(pieces).toString()
        state.mails.push({
          to: envelope.rcptTo.map(({ address }) => address),
          mail: await simpleParser(source),
          source,
        })
        done()
      })
    },
    ...options,
  })
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  whenDone(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const address = server.server.address()
  state.port = address !== null && typeof address === 'object' ? address.port : 0
  state.url = `smtp://deals:${encodeURIComponent(mailPassword)}@127.0.0.1:${state.port}`
  return state
}

/** What a mail server says, command by command, until it ends the connection; `null` ends it at once. */
export type SmtpScript = (line: string, socket: Socket) => string | null

/** A mail server that follows a script: the answer to each line, and to the end of a message as the line `.`. */
export async function scriptedMailServer(script: SmtpScript): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.write('220 scripted\r\n')
    let rest = ''
    let isData = false
    socket.on('data', (bytes) => {
      const lines = (rest + bytes.toString()).split('\r\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (isData && line !== '.') continue
        isData = false
        const answer = script(line, socket)
        if (answer === null) return void socket.destroy()
        if (line === 'DATA' && answer.startsWith('354')) isData = true
        socket.write(`${answer}\r\n`)
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  whenDone(async () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const address = server.address()
  return `smtp://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`
}
