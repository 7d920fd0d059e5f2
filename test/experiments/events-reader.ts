import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Home } from '../support/home.ts'
import type { Told } from './events-lives.ts'
import { send } from './load.ts'

/** An event as the log shows it. */
export interface Read {
  id: string
  type: string
  sequence: number
  operation_id: string
}

const LIMIT = 200

/** Follows the log of a workspace as a program would, by the last sequence seen, whatever is killed. */
export function follow({ keys }: Home, ports: () => readonly number[]) {
  const events: Read[] = []
  const agent = new Agent({ keepAlive: true })
  const headers = { authorization: `Bearer ${keys.owner}` }
  let ending = false

  async function page(): Promise<Read[] | undefined> {
    const after = events.at(-1)?.sequence ?? 0
    const path = `/api/v1/events?limit=${LIMIT}&after_sequence=${after}`
    const open = ports()
    const port = open[Math.floor(Math.random() * open.length)] ?? 0
    const reply = await send(agent, port, 'GET', path, headers).catch(() => undefined)
    if (reply?.status === 200) return JSON.parse(reply.body).data
    if (reply && reply.status < 500) throw new Error(reply.body)
    return undefined
  }

  async function read(): Promise<Read[]> {
    for (;;) {
      const last = ending
      const found = await page()
      events.push(...(found ?? []))
      if (found?.length === 0 && last) return events
      if ((found?.length ?? 0) < LIMIT) await pause(10)
    }
  }

  const done = read()
  return {
    /** Reads to the end of the log, while the servers stay, and gives all of it. */
    async end(): Promise<Read[]> {
      ending = true
      return done.finally(() => agent.destroy())
    },
  }
}

/**
 * What is wrong with a log: a sequence that does not rise by one, operations whose events are others
 * than were told, are not beside each other, or are of no operation that was answered.
 */
export function wrongWithLog(events: readonly Read[], told: Told): string[] {
  const wrong: string[] = []
  const found = new Map<string, Read[]>()
  for (const [at, event] of events.entries()) {
    if (event.sequence !== at + 1) wrong.push(`${event.sequence} comes after ${at}`)
    const { operation_id } = event
    found.set(operation_id, [...(found.get(operation_id) ?? []), event])
    if (!told.has(operation_id)) wrong.push(`of nothing that was done: ${event.type}`)
  }
  for (const [operation, kinds] of told) {
    const own = found.get(operation) ?? []
    const is = own.map(({ type }) => type).join()
    if (is !== kinds.join()) wrong.push(`${operation}: ${is || 'none'} instead of ${kinds}`)
    const [first] = own
    const apart = own.some(({ sequence }, at) => sequence !== (first?.sequence ?? 0) + at)
    if (apart) wrong.push(`the events of ${operation} are apart`)
  }
  return wrong
}
