import assert from 'node:assert/strict'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { DatabaseEngine } from '#core/transaction.ts'
import { openTestDocket } from '../support/engines/test-docket.ts'
import { afterFile } from '../support/runner/cleanup.ts'
import { startLiveDocket } from '../support/server/live-docket.ts'
import { createTestClient } from '../support/world/test-client.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

/** The revisions of the protocol that clients may speak. */
export const REVISIONS = ['2025-11-25', '2026-07-28'] as const
export type Revision = (typeof REVISIONS)[number]

/** Connects the official client to a server that listens. */
export async function connectClient(
  port: number,
  token: string,
  revision: Revision = '2026-07-28',
): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode: revision === '2025-11-25' ? 'legacy' : { pin: revision } } },
  )
  const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  })
  await client.connect(transport)
  afterFile(() => client.close())
  return client
}

/** Calls a tool, and returns the text of its reply. */
export async function callTool(client: Client, name: string, args: Record<string, unknown> = {}) {
  const { content, isError = false } = await client.callTool({ name, arguments: args })
  const [first, ...others] = content
  assert.ok(first?.type === 'text' && others.length === 0, JSON.stringify(content))
  assert.ok(first.text.length <= 8_000, `a reply of ${first.text.length} characters`)
  return { text: first.text, isError }
}

/** The lines of JSON in the block of a reply. */
export function rowsOf(text: string): Record<string, unknown>[] {
  const [, block = ''] = /<docket-data>\n([^<]*)\n<\/docket-data>$/.exec(text) ?? []
  return block
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): Record<string, unknown> => JSON.parse(line))
}

interface ConnectOptions {
  revision?: Revision
  token?: string
}

/** A Docket that listens, with a new workspace and a client of its owner. */
export async function openMcpDocket(engine: DatabaseEngine) {
  const docket = await startLiveDocket(engine)
  const { config } = await openTestDocket(engine)
  const { port } = docket.server.server.address() as { port: number }
  const openTeam = async () => {
    const team = await createTestWorkspace(docket.storage)
    const { request, send } = createTestClient({ ...docket, config }, team)
    let sequence = 0
    /** The types of events since the last call. */
    const newEvents = async (): Promise<string[]> => {
      const { data } = await send(`GET /api/v1/events?limit=200&after_sequence=${sequence}`)
      sequence = data.at(-1)?.sequence ?? sequence
      return data.map((event: { type: string }) => event.type)
    }
    await newEvents()
    const connect = ({ revision, token = team.keys.owner }: ConnectOptions = {}) =>
      connectClient(port, token, revision)
    return { team, request, send, newEvents, connect }
  }
  return { ...docket, port, openTeam }
}
