import { Agent, request } from 'node:http'
import type { Home } from '../support/home.ts'

/** What a client of the load knows: a task that it asked for, and what it was told. */
export interface Asked {
  key: string
  title: string
  sentAt: bigint
  /** Set when the reply has come: on the monotonic clock, in nanoseconds. */
  ackedAt?: bigint
  id?: string
  number?: number
  /** The description of the last change that was acknowledged, and of one whose reply is open. */
  description?: string
  changing?: string
}

export interface Reply {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

/** Sends a request on a connection of the agent. Fails when no whole reply comes. */
export function send(
  agent: Agent,
  port: number,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: object,
): Promise<Reply> {
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

/** Writers that create and change tasks one after the other until the server is gone or they are told. */
export function writers(port: number, home: Home, count: number, log: Asked[]) {
  let stopped = false
  const all = Promise.all(Array.from({ length: count }, () => write()))

  async function write() {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    try {
      while (!stopped) {
        const asked = newTask(log.length)
        log.push(asked)
        await create(agent, port, home, asked)
        if (log.length % 3 === 0) await change(agent, port, home, asked)
      }
    } catch {
      // The server is gone: what is open stays so in the log.
    } finally {
      agent.destroy()
    }
  }

  return {
    stop() {
      stopped = true
      return all
    },
  }
}

const run = `${process.pid}-${Date.now().toString(36)}`

const newTask = (at: number): Asked => {
  const name = `${run}-${at}`
  return { key: `create-${name}`, title: `Task ${name}`, sentAt: process.hrtime.bigint() }
}

const headersOf = (home: Home, key: string) => ({
  authorization: `Bearer ${home.keys.owner}`,
  'content-type': 'application/json',
  'idempotency-key': key,
})

/** Asks for a task; asking again with the same key must not make a second one. */
export async function create(agent: Agent, port: number, home: Home, asked: Asked): Promise<Reply> {
  const task = { project_id: home.project, title: asked.title }
  const reply = await send(agent, port, 'POST', '/api/v1/tasks', headersOf(home, asked.key), task)
  if (reply.status !== 201) throw new Error(`${reply.status} ${reply.body}`)
  const { id, number } = JSON.parse(reply.body)
  Object.assign(asked, { id, number, ackedAt: asked.ackedAt ?? process.hrtime.bigint() })
  return reply
}

async function change(agent: Agent, port: number, home: Home, asked: Asked): Promise<void> {
  asked.changing = `Changed ${asked.title}`
  const headers = headersOf(home, `change-${asked.key}`)
  const body = { description: asked.changing }
  const { status } = await send(agent, port, 'PATCH', `/api/v1/tasks/${asked.id}`, headers, body)
  if (status !== 200) throw new Error(String(status))
  asked.description = asked.changing
}
