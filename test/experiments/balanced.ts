import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Home } from '../support/home.ts'
import { isReady } from '../support/process.ts'
import { type Reply, send } from './load.ts'

const ASK_MS = 100
const REST_MS = 40
/** Of an answer that will not come: much later than any that Docket gives. */
const PATIENCE_MS = 60_000

/** How servers are set that clients behind a balancer are to leave in time, also on a busy machine. */
export const BALANCED = { DOCKET_DRAIN_SECONDS: '2' }

/** Of all loads of this process: keys of one must not be answered by what another has done. */
let serial = 0

/** What clients behind a balancer were answered. */
export interface Balanced {
  /** Ids of the tasks whose creation was acknowledged. */
  acked: string[]
  /** How often something was answered or happened that is not a success, with an example's text. */
  failed: Map<string, number>
  /** Ends the load when all that is open is answered. */
  stop(): Promise<void>
}

/**
 * So many clients that write, two thirds, and read. They keep their connections and choose, as a balancer
 * does, among the servers that said in the last tenth of a second that they are ready; while none is they
 * wait. Those who are heedless ask always, and any.
 * A write that failed is asked again with the same key until it is acknowledged.
 */
export function balanced(
  ports: readonly number[],
  home: Home,
  clients: number,
  heedless = false,
): Balanced {
  const ready = new Set(heedless ? ports : [])
  let stopped = false
  const balanced: Balanced = { acked: [], failed: new Map(), stop }
  const watching = heedless ? undefined : Promise.all(ports.map(watch))
  const asking = Promise.all(Array.from({ length: clients }, client))
  const headers = { authorization: `Bearer ${home.keys.owner}`, 'content-type': 'application/json' }
  return balanced

  async function stop(): Promise<void> {
    stopped = true
    await Promise.all([asking, watching])
  }

  async function watch(port: number): Promise<void> {
    while (!stopped) {
      if (await isReady(port)) ready.add(port)
      else ready.delete(port)
      await pause(ASK_MS)
    }
  }

  async function client(): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: ports.length })
    for (let turn = 0, key = ''; !stopped; ) {
      await pause(REST_MS * Math.random())
      const port = [...ready][Math.floor(Math.random() * ready.size)]
      if (port === undefined) continue
      if (key === '') turn += 1
      if (turn % 3 === 0) await ask(send(agent, port, 'GET', '/api/v1/tasks?limit=5', headers), 200)
      else {
        key ||= `balanced-${process.pid}-${++serial}`
        const task = { project_id: home.project, title: key }
        const keyed = { ...headers, 'idempotency-key': key }
        const body = await ask(send(agent, port, 'POST', '/api/v1/tasks', keyed, task), 201)
        if (body === undefined) continue
        key = ''
        balanced.acked.push((JSON.parse(body) as { id: string }).id)
      }
    }
    agent.destroy()
  }

  /** The body, if the status is the one that is wanted. */
  async function ask(sent: ReturnType<typeof send>, wanted: number): Promise<string | undefined> {
    const late = pause(PATIENCE_MS, undefined, { ref: false }).then(() => {
      throw new Error('no answer')
    })
    const outcome = await Promise.race([sent, late]).catch((error: Error) => error)
    if (!(outcome instanceof Error) && outcome.status === wanted) return outcome.body
    const what = outcome instanceof Error ? outcome.message : refusalOf(outcome)
    balanced.failed.set(what, (balanced.failed.get(what) ?? 0) + 1)
    return undefined
  }
}

/** Its status and code; who is to come again has to be told when. */
function refusalOf({ status, headers, body }: Reply): string {
  const silent = status === 503 && headers['retry-after'] === undefined
  return `${status} ${codeIn(body)}${silent ? ' without Retry-After' : ''}`
}

/** The code of a refusal, or what is answered in its place. */
function codeIn(body: string): string {
  try {
    return (JSON.parse(body) as { error: { code: string } }).error.code
  } catch {
    return body
  }
}
