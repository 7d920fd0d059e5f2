import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { sendHttp } from '../../support/load/http-writers.ts'
import type { ServerProcess } from '../../support/server/server-process.ts'
import { RECEIVER_SECRET } from '../../support/webhooks/verifying-receiver.ts'
import type { TestWorkspace } from '../../support/world/test-workspace.ts'

const WRITERS = 16
const MAX_CHANGES_PER_TASK = 4

/** Creates a webhook for each project, so that each event goes to exactly one of them. */
export async function subscribeProjects(
  { port }: ServerProcess,
  team: TestWorkspace,
  urlOf: (hook: string) => string,
) {
  const agent = new Agent()
  for (const project of [team.project, team.hidden]) {
    const filter = { events: ['*'], project_ids: [project], secret: RECEIVER_SECRET }
    const webhook = { url: urlOf(project), ...filter }
    const { status, body } = await sendHttp(
      agent,
      port,
      'POST',
      '/api/v1/webhooks',
      authHeaders(team),
      webhook,
    )
    assert.equal(status, 201, body)
  }
  agent.destroy()
}

const authHeaders = ({ keys }: TestWorkspace) => ({
  authorization: `Bearer ${keys.owner}`,
  'content-type': 'application/json',
})

/**
 * Creates and changes tasks until there are enough events, and retries each request until it
 * succeeds.
 */
export async function writeEvents(
  homes: readonly TestWorkspace[],
  events: number,
  port: () => number,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: WRITERS })
  let left = events
  let serial = 0

  async function runWriter() {
    while (left > 0) {
      const changes = Math.min(MAX_CHANGES_PER_TASK, left - 1)
      left -= changes + 1
      const at = serial++
      const team = homes[at % homes.length]
      if (!team) return
      const project_id = at % 3 === 0 ? team.hidden : team.project
      const task = await requestUntilDone(team, 'POST', '/api/v1/tasks', {
        project_id,
        title: `Task ${at}`,
      })
      for (let change = 0; change < changes; change++) {
        await requestUntilDone(team, 'PATCH', `/api/v1/tasks/${task}`, {
          title: `Task ${at}, ${change}`,
        })
      }
    }
  }

  async function requestUntilDone(
    team: TestWorkspace,
    method: string,
    path: string,
    body: object,
  ): Promise<string> {
    const headers = { ...authHeaders(team), 'idempotency-key': crypto.randomUUID() }
    for (;;) {
      const reply = await sendHttp(agent, port(), method, path, headers, body).catch(
        () => undefined,
      )
      if (reply && reply.status < 300) return JSON.parse(reply.body).id
      if (reply && reply.status < 500 && reply.status !== 409) throw new Error(reply.body)
      await pause(20)
    }
  }

  await Promise.all(Array.from({ length: WRITERS }, runWriter))
  agent.destroy()
}
