import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { sendHttp } from '../../support/load/http-writers.ts'
import type { TestWorkspace } from '../../support/world/test-workspace.ts'
import type { ExpectedEvents } from './task-lifecycles.ts'

/** An event as the event log returns it. */
export interface EventLogEntry {
  id: string
  type: string
  sequence: number
  operation_id: string
}

const PAGE_SIZE = 200
const POLL_INTERVAL_MS = 50

/**
 * Follows the event log of a workspace as a client would, from the last sequence that it has seen,
 * while servers are killed.
 */
export function followEventLog({ keys }: TestWorkspace, ports: () => readonly number[]) {
  const events: EventLogEntry[] = []
  const agent = new Agent({ keepAlive: true })
  const headers = { authorization: `Bearer ${keys.owner}` }
  let isEnding = false

  async function readPage(): Promise<EventLogEntry[] | undefined> {
    const after = events.at(-1)?.sequence ?? 0
    const path = `/api/v1/events?limit=${PAGE_SIZE}&after_sequence=${after}`
    const open = ports()
    const port = open[Math.floor(Math.random() * open.length)] ?? 0
    const reply = await sendHttp(agent, port, 'GET', path, headers).catch(() => undefined)
    if (reply?.status === 200) return JSON.parse(reply.body).data
    if (reply && reply.status < 500) throw new Error(reply.body)
    return undefined
  }

  async function read(): Promise<EventLogEntry[]> {
    for (;;) {
      const isLast = isEnding
      const page = await readPage()
      events.push(...(page ?? []))
      if (page?.length === 0 && isLast) return events
      if ((page?.length ?? 0) < PAGE_SIZE) await pause(POLL_INTERVAL_MS)
    }
  }

  const reading = read()
  return {
    /** Reads to the end of the log, while the servers stay up, and returns all of it. */
    async end(): Promise<EventLogEntry[]> {
      isEnding = true
      return reading.finally(() => agent.destroy())
    },
  }
}

/**
 * Finds sequences that do not rise by one, operations whose events are not the expected ones or not
 * adjacent, and events of operations that nobody was answered.
 */
export function findEventLogFaults(
  events: readonly EventLogEntry[],
  expected: ExpectedEvents,
): string[] {
  const wrong: string[] = []
  const byOperation = new Map<string, EventLogEntry[]>()
  for (const [at, event] of events.entries()) {
    if (event.sequence !== at + 1) wrong.push(`${event.sequence} comes after ${at}`)
    const { operation_id } = event
    byOperation.set(operation_id, [...(byOperation.get(operation_id) ?? []), event])
    if (!expected.has(operation_id)) wrong.push(`of nothing that was done: ${event.type}`)
  }
  for (const [operation, kinds] of expected) {
    const own = byOperation.get(operation) ?? []
    const is = own.map(({ type }) => type).join()
    if (is !== kinds.join()) wrong.push(`${operation}: ${is || 'none'} instead of ${kinds}`)
    const [first] = own
    const isSplit = own.some(({ sequence }, at) => sequence !== (first?.sequence ?? 0) + at)
    if (isSplit) wrong.push(`the events of ${operation} are apart`)
  }
  return wrong
}
