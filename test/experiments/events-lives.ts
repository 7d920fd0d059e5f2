import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Home } from '../support/home.ts'
import { type Reply, send } from './load.ts'

/** What was told of an operation: the kinds of its events, in order. */
export type Told = Map<string, readonly string[]>

interface Step {
  send: string
  body?: object
  status: number
  events: readonly string[]
}

/** All that may happen to a task, and what is told of it (contract 8.4). */
const stepsOf = (home: Home, name: string): readonly Step[] => [
  { send: 'PATCH', body: { title: `${name}, changed` }, status: 200, events: ['task.updated'] },
  { send: 'PATCH', body: { title: `${name}, changed` }, status: 200, events: [] },
  { send: 'PATCH', body: { title: '', priority: 'high' }, status: 422, events: [] },
  { send: 'PATCH ?dry_run=true', body: { title: 'Never' }, status: 200, events: [] },
  { send: 'POST /comments', body: { body: 'Fine' }, status: 201, events: ['comment.created'] },
  {
    send: 'PATCH',
    body: { priority: 'high', assignee_ids: [home.people.member] },
    status: 200,
    events: ['task.updated', 'task.assigned'],
  },
  { send: 'POST /complete', status: 200, events: ['task.completed'] },
  { send: 'POST /complete', status: 200, events: [] },
  { send: 'DELETE', status: 204, events: ['task.deleted'] },
  { send: 'PATCH', body: { title: 'Gone' }, status: 404, events: [] },
]

/**
 * Writers that let tasks live, from their creation to their end, on servers that may be gone at any
 * time: then they ask again with the same key. They end when what has been answered is enough.
 */
export async function lives(
  home: Home,
  ports: () => readonly number[],
  { isEnough, writers }: { isEnough: (answered: number) => boolean; writers: number },
): Promise<{ told: Told; wrong: string[] }> {
  const told: Told = new Map()
  const wrong: string[] = []
  const agent = new Agent({ keepAlive: true, maxSockets: writers })
  let answered = 0
  let serial = 0

  async function ask(method: string, path: string, body?: object): Promise<Reply> {
    const headers = {
      authorization: `Bearer ${home.keys.owner}`,
      'idempotency-key': crypto.randomUUID(),
      ...(body && { 'content-type': 'application/json' }),
    }
    for (;;) {
      const open = ports()
      const port = open[Math.floor(Math.random() * open.length)] ?? 0
      const reply = await send(agent, port, method, path, headers, body).catch(() => undefined)
      if (reply && reply.status < 500 && reply.status !== 409) {
        answered += 1
        return reply
      }
      await pause(20)
    }
  }

  function note(reply: Reply, { send, status, events }: Step): void {
    if (reply.status !== status) wrong.push(`${send} is ${reply.status}: ${reply.body}`)
    const operation = reply.headers['x-operation-id']
    if (typeof operation === 'string') told.set(operation, events)
    else if (events.length > 0) wrong.push(`${send} has no operation`)
  }

  async function live(): Promise<void> {
    const title = `Life ${serial++}`
    const assigned = serial % 4 === 0
    const task = { project_id: home.project, title, ...(assigned && assignee(home)) }
    const events = ['task.created', ...(assigned ? ['task.assigned'] : [])]
    const made = await ask('POST', '/api/v1/tasks', task)
    note(made, { send: 'POST', status: 201, events })
    const path = `/api/v1/tasks/${JSON.parse(made.body).id}`
    for (const step of stepsOf(home, title)) {
      const [method = '', rest = ''] = step.send.split(' ')
      note(await ask(method, path + rest, step.body), step)
    }
  }

  async function write(): Promise<void> {
    while (!isEnough(answered) && wrong.length === 0) await live()
  }

  await Promise.all(Array.from({ length: writers }, write))
  agent.destroy()
  return { told, wrong }
}

const assignee = ({ people }: Home) => ({ assignee_ids: [people.admin] })
