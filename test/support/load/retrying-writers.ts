import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { TestWorkspace } from '../world/test-workspace.ts'
import { sendHttp, type TrackedWrite } from './http-writers.ts'

/** The pause between writes, so that they do not fill the small disks of the experiments. */
const WRITE_INTERVAL_MS = 60

/**
 * Starts writers that retry with the same key after a 503, until their task exists. They write at
 * the same moment, and descriptions have any length up to `maxLength`, so that on a full disk
 * writes that fit share a transaction with writes that do not. `stop` returns statuses other than
 * 201 and 503.
 */
export function startRetryingWriters(
  port: number,
  team: TestWorkspace,
  count: number,
  log: TrackedWrite[],
  maxLength = 8_000,
) {
  const agent = new Agent({ keepAlive: true, maxSockets: count })
  const wrong = new Set<string>()
  const load = { acked: 0, refused: 0, stop }
  let stopped = false
  const finished = write()
  return load

  /** Returns the unexpected statuses. */
  async function stop(): Promise<string[]> {
    stopped = true
    await finished
    agent.destroy()
    return [...wrong]
  }

  async function write() {
    let open: TrackedWrite[] = []
    while (!stopped) {
      const created = Array.from({ length: count - open.length }, () => trackWrite(maxLength))
      log.push(...created)
      const attempts = [...open, ...created]
      await Promise.all(attempts.map(create))
      open = attempts.filter(({ ackedAt }) => ackedAt === undefined)
      await pause(WRITE_INTERVAL_MS)
    }
  }

  async function create(tracked: TrackedWrite): Promise<void> {
    const { key, title, description } = tracked
    const headers = {
      authorization: `Bearer ${team.keys.owner}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    }
    const task = { project_id: team.project, title, description }
    const { status, body } = await sendHttp(agent, port, 'POST', '/api/v1/tasks', headers, task)
    if (status === 201) {
      const { id, number } = JSON.parse(body)
      Object.assign(tracked, { id, number, ackedAt: process.hrtime.bigint() })
      load.acked += 1
      return
    }
    load.refused += 1
    if (status !== 503) wrong.add(`a write is ${status}`)
  }
}

let serial = 0

function trackWrite(maxLength: number): TrackedWrite {
  serial += 1
  const key = `stubborn-${process.pid}-${serial}`
  const description = 'x'.repeat(Math.floor(Math.random() * maxLength))
  return { key, title: key, sentAt: process.hrtime.bigint(), description }
}
