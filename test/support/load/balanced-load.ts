import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { isServerReady } from '../server/server-process.ts'
import type { TestWorkspace } from '../world/test-workspace.ts'
import { type HttpReply, sendHttp } from './http-writers.ts'

const HEALTH_CHECK_INTERVAL_MS = 100
const MAX_REQUEST_INTERVAL_MS = 100
/** Much longer than Docket takes for any reply. */
const REPLY_TIMEOUT_MS = 60_000

/** Drains long enough for clients behind a load balancer to turn away, even on a busy machine. */
export const DRAIN_SETTINGS = { DOCKET_DRAIN_SECONDS: '2' }

/** Shared by all loads of this process, so that no two of them use the same idempotency key. */
let serial = 0

/** A running load of clients behind a load balancer, and the replies so far. */
export interface BalancedLoad {
  /** Ids of tasks whose creation was acknowledged. */
  acked: string[]
  /** How often each error status or exception occurred. */
  failed: Map<string, number>
  /** Ends the load once every open request has its reply. */
  stop(): Promise<void>
}

/**
 * Starts clients whose requests are two thirds writes and one third reads. They keep their
 * connections and, as behind a load balancer, choose among the servers that reported readiness in
 * the last 100 ms; they wait while there is none. With `ignoresReadiness` they send to any server
 * at any time. A failed write is retried with the same key until it is acknowledged.
 */
export function startBalancedLoad(
  ports: readonly number[],
  team: TestWorkspace,
  clients: number,
  ignoresReadiness = false,
): BalancedLoad {
  const ready = new Set(ignoresReadiness ? ports : [])
  let stopped = false
  const load: BalancedLoad = { acked: [], failed: new Map(), stop }
  const healthChecks = ignoresReadiness ? undefined : Promise.all(ports.map(checkHealth))
  const clientLoops = Promise.all(Array.from({ length: clients }, runClient))
  const headers = { authorization: `Bearer ${team.keys.owner}`, 'content-type': 'application/json' }
  return load

  async function stop(): Promise<void> {
    stopped = true
    await Promise.all([clientLoops, healthChecks])
  }

  async function checkHealth(port: number): Promise<void> {
    while (!stopped) {
      if (await isServerReady(port)) ready.add(port)
      else ready.delete(port)
      await pause(HEALTH_CHECK_INTERVAL_MS)
    }
  }

  async function runClient(): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: ports.length })
    for (let turn = 0, key = ''; !stopped; ) {
      await pause(MAX_REQUEST_INTERVAL_MS * Math.random())
      const port = [...ready][Math.floor(Math.random() * ready.size)]
      if (port === undefined) continue
      if (key === '') turn += 1
      if (turn % 3 === 0)
        await expectStatus(sendHttp(agent, port, 'GET', '/api/v1/tasks?limit=5', headers), 200)
      else {
        key ||= `balanced-${process.pid}-${++serial}`
        const task = { project_id: team.project, title: key }
        const keyedHeaders = { ...headers, 'idempotency-key': key }
        const body = await expectStatus(
          sendHttp(agent, port, 'POST', '/api/v1/tasks', keyedHeaders, task),
          201,
        )
        if (body === undefined) continue
        key = ''
        load.acked.push((JSON.parse(body) as { id: string }).id)
      }
    }
    agent.destroy()
  }

  /** Returns the body if the reply has the expected status. */
  async function expectStatus(
    sent: ReturnType<typeof sendHttp>,
    expected: number,
  ): Promise<string | undefined> {
    const timeout = pause(REPLY_TIMEOUT_MS, undefined, { ref: false }).then(() => {
      throw new Error('no answer')
    })
    const outcome = await Promise.race([sent, timeout]).catch((error: Error) => error)
    if (!(outcome instanceof Error) && outcome.status === expected) return outcome.body
    const failure = outcome instanceof Error ? outcome.message : describeError(outcome)
    load.failed.set(failure, (load.failed.get(failure) ?? 0) + 1)
    return undefined
  }
}

/** Describes an error by status and code. A 503 must say when to retry. */
function describeError({ status, headers, body }: HttpReply): string {
  const lacksRetryAfter = status === 503 && headers['retry-after'] === undefined
  return `${status} ${readErrorCode(body)}${lacksRetryAfter ? ' without Retry-After' : ''}`
}

/** Reads the error code, or returns the body if it is not an API error. */
function readErrorCode(body: string): string {
  try {
    return (JSON.parse(body) as { error: { code: string } }).error.code
  } catch {
    return body
  }
}
