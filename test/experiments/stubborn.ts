import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Home } from '../support/home.ts'
import { type Asked, send } from './load.ts'

/** Between writes: there is little room in all. */
const REST_MS = 60

/**
 * Writers that take 503 for an answer and ask again with the same key, until they have their task.
 * They write at the same moment, so that those who find room share a transaction with those who do
 * not: descriptions are of all lengths up to the `longest`. Whatever is neither 201 nor 503 is told when
 * they stop.
 */
export function stubbornWriters(
  port: number,
  home: Home,
  count: number,
  log: Asked[],
  longest = 8_000,
) {
  const agent = new Agent({ keepAlive: true, maxSockets: count })
  const wrong = new Set<string>()
  const writing = { acked: 0, refused: 0, stop }
  let stopped = false
  const done = write()
  return writing

  /** Gives what was answered and should not have been. */
  async function stop(): Promise<string[]> {
    stopped = true
    await done
    agent.destroy()
    return [...wrong]
  }

  async function write() {
    let open: Asked[] = []
    while (!stopped) {
      const fresh = Array.from({ length: count - open.length }, () => newTask(longest))
      log.push(...fresh)
      const asking = [...open, ...fresh]
      await Promise.all(asking.map(ask))
      open = asking.filter(({ ackedAt }) => ackedAt === undefined)
      await pause(REST_MS)
    }
  }

  async function ask(asked: Asked): Promise<void> {
    const { key, title, description } = asked
    const headers = {
      authorization: `Bearer ${home.keys.owner}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    }
    const task = { project_id: home.project, title, description }
    const { status, body } = await send(agent, port, 'POST', '/api/v1/tasks', headers, task)
    if (status === 201) {
      const { id, number } = JSON.parse(body)
      Object.assign(asked, { id, number, ackedAt: process.hrtime.bigint() })
      writing.acked += 1
      return
    }
    writing.refused += 1
    if (status !== 503) wrong.add(`a write is ${status}`)
  }
}

let serial = 0

function newTask(longest: number): Asked {
  serial += 1
  const key = `stubborn-${process.pid}-${serial}`
  const description = 'x'.repeat(Math.floor(Math.random() * longest))
  return { key, title: key, sentAt: process.hrtime.bigint(), description }
}
