import { Agent, request } from 'node:http'
import type { TestWorkspace } from '../world/test-workspace.ts'

/** A task that a client of the load has asked for, and what the server has answered so far. */
export interface TrackedWrite {
  key: string
  title: string
  sentAt: bigint
  /** When the reply arrived, in nanoseconds of the monotonic clock. Unset while it is open. */
  ackedAt?: bigint
  id?: string
  number?: number
  /** The description of the last acknowledged change. */
  description?: string
  /** The description of a change whose reply is still open. */
  changing?: string
}

export interface HttpReply {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

/** Sends a request on a connection of the agent. Rejects unless a complete reply arrives. */
export function sendHttp(
  agent: Agent,
  port: number,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: object,
): Promise<HttpReply> {
  const text = body === undefined ? undefined : JSON.stringify(body)
  const length = text === undefined ? {} : { 'content-length': Buffer.byteLength(text) }
  return new Promise((resolve, reject) => {
    const to = { host: '127.0.0.1', port, method, path, agent }
    const outgoing = request({ ...to, headers: { ...headers, ...length } }, (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('error', reject)
      incoming.on('end', () => {
        if (!incoming.complete) return reject(new Error('The reply broke off'))
        const { statusCode: status = 0, headers } = incoming
        resolve({ status, headers, body: Buffer.concat(chunks).toString() })
      })
    })
    outgoing.on('error', reject)
    outgoing.end(text)
  })
}

/**
 * Starts writers, each of which creates and changes tasks one after the other until the server is
 * gone or `stop` is called.
 */
export function startWriters(
  port: number,
  team: TestWorkspace,
  count: number,
  log: TrackedWrite[],
) {
  let stopped = false
  const writing = Promise.all(Array.from({ length: count }, () => write()))

  async function write() {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    try {
      while (!stopped) {
        const tracked = trackWrite(log.length)
        log.push(tracked)
        await createTrackedTask(agent, port, team, tracked)
        if (log.length % 3 === 0) await change(agent, port, team, tracked)
      }
    } catch {
      // The server is gone. Requests without a reply stay open in the log.
    } finally {
      agent.destroy()
    }
  }

  return {
    stop() {
      stopped = true
      return writing
    },
  }
}

const RUN_ID = `${process.pid}-${Date.now().toString(36)}`

const trackWrite = (index: number): TrackedWrite => {
  const name = `${RUN_ID}-${index}`
  return { key: `create-${name}`, title: `Task ${name}`, sentAt: process.hrtime.bigint() }
}

const buildHeaders = (team: TestWorkspace, key: string) => ({
  authorization: `Bearer ${team.keys.owner}`,
  'content-type': 'application/json',
  'idempotency-key': key,
})

/** Creates the task. Sending the same key again must not create a second one. */
export async function createTrackedTask(
  agent: Agent,
  port: number,
  team: TestWorkspace,
  tracked: TrackedWrite,
): Promise<HttpReply> {
  const task = { project_id: team.project, title: tracked.title }
  const reply = await sendHttp(
    agent,
    port,
    'POST',
    '/api/v1/tasks',
    buildHeaders(team, tracked.key),
    task,
  )
  if (reply.status !== 201) throw new Error(`${reply.status} ${reply.body}`)
  const { id, number } = JSON.parse(reply.body)
  Object.assign(tracked, { id, number, ackedAt: tracked.ackedAt ?? process.hrtime.bigint() })
  return reply
}

async function change(
  agent: Agent,
  port: number,
  team: TestWorkspace,
  tracked: TrackedWrite,
): Promise<void> {
  tracked.changing = `Changed ${tracked.title}`
  const headers = buildHeaders(team, `change-${tracked.key}`)
  const body = { description: tracked.changing }
  const { status } = await sendHttp(
    agent,
    port,
    'PATCH',
    `/api/v1/tasks/${tracked.id}`,
    headers,
    body,
  )
  if (status !== 200) throw new Error(String(status))
  tracked.description = tracked.changing
}
