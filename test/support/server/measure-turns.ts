import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createLargeWorkspace, type LargeWorkspaceSize } from '../data/large-workspace.ts'
import { findFreePort } from '../system/free-port.ts'
import { type LargeRequest, largestRequests } from './largest-requests.ts'
import { endServer, startServer } from './server-process.ts'

const ENTRY = 'test/support/server-variants/turn-monitor.ts'

/** The turns of the event loop during a request, in milliseconds of the main thread's CPU time. */
export interface RequestTurns extends LargeRequest {
  longestMs: number
  totalMs: number
}

/**
 * Sends the largest requests to a server of its own on SQLite, one after the other, and measures the
 * turns of its event loop. `dataDir` is an empty directory.
 */
export async function measureTurns(dataDir: string, size: LargeWorkspaceSize) {
  const port = await findFreePort()
  const baseUrl = `http://127.0.0.1:${port}`
  const team = await createLargeWorkspace(dataDir, baseUrl, size)
  const socket = join(dataDir, 'turns.sock')
  const env = { DOCKET_BASE_URL: baseUrl, TURN_MONITOR: socket }
  const server = await startServer(dataDir, { entry: ENTRY, port, env })
  const allTurns: number[] = []
  const requests: RequestTurns[] = []
  const credentials = {
    internal: team.session.headers,
    api: { authorization: `Bearer ${team.keys.owner}` },
  }

  async function send(request: LargeRequest): Promise<RequestTurns> {
    const { endpoint, url, body, status = 200 } = request
    await readTurns(socket)
    const reply = await fetch(baseUrl + url, {
      method: endpoint.slice(0, endpoint.indexOf(' ')),
      headers: {
        ...(url.startsWith('/internal') ? credentials.internal : credentials.api),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const content = await reply.text()
    assert.equal(reply.status, status, `${endpoint} ${url}: ${content.slice(0, 500)}`)
    const turns = await readTurns(socket)
    allTurns.push(...turns)
    const totalMs = turns.reduce((total, one) => total + one, 0)
    return { ...request, longestMs: Math.max(...turns), totalMs }
  }

  try {
    // Each is the first of its kind, which also compiles its code and statements.
    for (const request of largestRequests(team)) requests.push(await send(request))
  } finally {
    await endServer(server, 'SIGKILL')
  }
  return { requests, allTurns }
}

/** The turns since the last call. */
const readTurns = async (socketPath: string): Promise<number[]> =>
  JSON.parse(await text(connect(socketPath)))
