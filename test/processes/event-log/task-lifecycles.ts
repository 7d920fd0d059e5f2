import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { type HttpReply, sendHttp } from '../../support/load/http-writers.ts'
import type { TestWorkspace } from '../../support/world/test-workspace.ts'

/** The types of the events that each operation must have, in their order, by operation id. */
export type ExpectedEvents = Map<string, readonly string[]>

interface LifecycleStep {
  send: string
  body?: object
  status: number
  events: readonly string[]
}

/** The life of a task, and the events of each step (docs/spec/api.md#events-of-each-operation). */
const lifecycleOf = (team: TestWorkspace, name: string): readonly LifecycleStep[] => [
  { send: 'PATCH', body: { title: `${name}, changed` }, status: 200, events: ['task.updated'] },
  { send: 'PATCH', body: { title: `${name}, changed` }, status: 200, events: [] },
  { send: 'PATCH', body: { title: '', priority: 'high' }, status: 422, events: [] },
  { send: 'PATCH ?dry_run=true', body: { title: 'Never' }, status: 200, events: [] },
  { send: 'POST /comments', body: { body: 'Fine' }, status: 201, events: ['comment.created'] },
  {
    send: 'PATCH',
    body: { priority: 'high', assignee_ids: [team.people.member] },
    status: 200,
    events: ['task.updated', 'task.assigned'],
  },
  {
    send: 'POST /time-entries',
    body: { duration_seconds: 60 },
    status: 201,
    events: ['time_entry.created'],
  },
  { send: 'POST /complete', status: 200, events: ['task.completed'] },
  { send: 'POST /complete', status: 200, events: [] },
  { send: 'DELETE', status: 204, events: ['task.deleted'] },
  { send: 'PATCH', body: { title: 'Gone' }, status: 404, events: [] },
]

/**
 * Takes tasks from their creation to their deletion, on servers that may be gone at any time:
 * requests are then retried with the same key. Ends once `isEnough` accepts the number of replies.
 */
export async function runTaskLifecycles(
  team: TestWorkspace,
  ports: () => readonly number[],
  { isEnough, writers }: { isEnough: (answered: number) => boolean; writers: number },
): Promise<{ expected: ExpectedEvents; wrong: string[] }> {
  const expected: ExpectedEvents = new Map()
  const wrong: string[] = []
  const agent = new Agent({ keepAlive: true, maxSockets: writers })
  let answered = 0
  let serial = 0

  async function sendUntilAnswered(
    method: string,
    path: string,
    body?: object,
  ): Promise<HttpReply> {
    const headers = {
      authorization: `Bearer ${team.keys.owner}`,
      'idempotency-key': crypto.randomUUID(),
      ...(body && { 'content-type': 'application/json' }),
    }
    for (;;) {
      const open = ports()
      const port = open[Math.floor(Math.random() * open.length)] ?? 0
      const reply = await sendHttp(agent, port, method, path, headers, body).catch(() => undefined)
      if (reply && reply.status < 500 && reply.status !== 409) {
        answered += 1
        return reply
      }
      // The server that was killed takes a second to start, and each attempt costs processor time.
      await pause(50)
    }
  }

  function recordReply(reply: HttpReply, { send, status, events }: LifecycleStep): void {
    if (reply.status !== status) wrong.push(`${send} is ${reply.status}: ${reply.body}`)
    const operation = reply.headers['x-operation-id']
    if (typeof operation === 'string') expected.set(operation, events)
    else if (events.length > 0) wrong.push(`${send} has no operation`)
  }

  async function runLifecycle(): Promise<void> {
    const title = `Life ${serial++}`
    const assigned = serial % 4 === 0
    const task = { project_id: team.project, title, ...(assigned && assignToAdmin(team)) }
    const events = ['task.created', ...(assigned ? ['task.assigned'] : [])]
    const made = await sendUntilAnswered('POST', '/api/v1/tasks', task)
    recordReply(made, { send: 'POST', status: 201, events })
    const path = `/api/v1/tasks/${JSON.parse(made.body).id}`
    for (const step of lifecycleOf(team, title)) {
      const [method = '', rest = ''] = step.send.split(' ')
      recordReply(await sendUntilAnswered(method, path + rest, step.body), step)
    }
  }

  async function write(): Promise<void> {
    while (!isEnough(answered) && wrong.length === 0) await runLifecycle()
  }

  await Promise.all(Array.from({ length: writers }, write))
  agent.destroy()
  return { expected, wrong }
}

const assignToAdmin = ({ people }: TestWorkspace) => ({ assignee_ids: [people.admin] })
