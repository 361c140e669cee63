import {
  type Answered,
  type AskedOf,
  type JsonObject,
  type ServiceServer,
  serviceServer,
} from './service-server.ts'

export type NtfyServer = ServiceServer & {
  /** Of before 2.16: it doesn't know that messages can be changed. */
  isOld: boolean
  takesPictures: boolean
  /** What phones show, by the name that a message is changed by; of an old server by its own number. */
  shown: Map<string, JsonObject>
}

export const ntfyToken = 'tk_token_of_a_test_000000000000'
const mostBytes = 4_096

/** An imitation of a server of ntfy that wants a token, made from its documents and never compared with it. */
export async function ntfyServer(): Promise<NtfyServer> {
  const state: Omit<NtfyServer, keyof ServiceServer> = {
    ...{ isOld: false, takesPictures: true, shown: new Map<string, JsonObject>() },
  }
  const service: ServiceServer = await serviceServer((asked) => answerOf(server, asked))
  const server: NtfyServer = Object.assign(state, service)
  return server
}

export const ntfyError = (http: number, code: number, error: string): Answered => ({
  ...{ status: http, body: { code, http, error, link: 'https://ntfy.sh/docs/publish/' } },
})

function answerOf(server: NtfyServer, { method, url, headers, body }: AskedOf): Answered {
  if (method !== 'POST' || url.pathname !== '/') return ntfyError(404, 40401, 'page not found')
  if (headers.authorization !== `Bearer ${ntfyToken}`) return ntfyError(403, 40301, 'forbidden')
  const { topic, title, message, priority, tags, attach, actions, click, sequence_id } = body
  if (!isName(topic)) return ntfyError(400, 40009, 'invalid request: topic invalid')
  if (typeof message !== 'string' || Buffer.byteLength(message) > mostBytes)
    return ntfyError(413, 41303, 'JSON body too large')
  if (typeof title !== 'string' || !Array.isArray(tags)) return ntfyError(400, 40017, 'must be message JSON')
  if (![1, 2, 3, 4, 5].includes(Number(priority))) return ntfyError(400, 40007, 'invalid priority parameter')
  if (attach !== undefined && !server.takesPictures) return ntfyError(400, 40014, 'attachments not allowed')
  for (const address of [attach, click])
    if (address !== undefined && !/^https?:\/\//.test(String(address)))
      return ntfyError(400, 40013, 'attachment URL is invalid')
  if (actions !== undefined && (!Array.isArray(actions) || actions.length > 3))
    return ntfyError(400, 40018, 'invalid request: actions invalid')
  if (!server.isOld && !isName(sequence_id))
    return ntfyError(400, 40049, 'invalid request: sequence ID invalid')
  const id = `id${String(server.shown.size + 1).padStart(10, '0')}`
  server.shown.set(server.isOld ? id : String(sequence_id), body)
  const answer = { id, time: 1_777_896_000, expires: 1_777_939_200, event: 'message', topic, title, message }
  return { status: 200, body: server.isOld ? answer : { ...answer, sequence_id } }
}

const isName = (value: unknown) => typeof value === 'string' && /^[-_A-Za-z0-9]{1,64}$/.test(value)
