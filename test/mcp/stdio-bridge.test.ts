import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import {
  CLIENT_ENTRY,
  createClientMachine,
  startDocketForClients,
} from '../cli-client/client-machine.ts'
import { collectOutput } from '../support/system/child-processes.ts'
import { callTool, REVISIONS, rowsOf } from './mcp-client.ts'

const { url, post, team, owner } = await startDocketForClients()

for (const revision of REVISIONS) {
  test(`docket mcp connects a client of ${revision} on the same computer`, async (t) => {
    await post('/tasks', { project_id: team.project, title: 'From afar' })
    const client = new Client(
      { name: 'test', version: '1.0.0' },
      { versionNegotiation: { mode: revision === '2025-11-25' ? 'legacy' : 'auto' } },
    )
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [CLIENT_ENTRY, 'mcp'],
        env: owner.env,
      }),
    )
    t.after(() => client.close())
    assert.equal(client.getNegotiatedProtocolVersion(), revision)
    const { tools } = await client.listTools()
    assert.ok(tools.some(({ name }) => name === 'create_tasks'))
    const { text } = await callTool(client, 'list_tasks')
    assert.ok(rowsOf(text).some(({ title }) => title === 'From afar'))
    const missing = await callTool(client, 'get_task', { id: 'ENG-9999' })
    assert.ok(missing.isError)
    await assert.rejects(client.callTool({ name: 'no_such_tool', arguments: {} }), /no_such_tool/)
  })
}

test('docket mcp passes errors of the protocol on', async () => {
  const child = owner.start(['mcp'])
  const { ended } = collectOutput(child)
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2099-01-01',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const discover = { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta } }
  child.stdin.end(`${JSON.stringify(discover)}\n`)
  const { stdout } = await ended
  const reply = JSON.parse(stdout)
  assert.equal(reply.id, 1)
  assert.equal(reply.error.code, -32_022)
  assert.ok(reply.error.data.supported.includes('2026-07-28'))
})

test('docket mcp answers a request that the server does not understand', async () => {
  const child = owner.start(['mcp'])
  const { ended } = collectOutput(child)
  // Nested too deep for the server, which refuses it in its own words.
  const params = JSON.parse(`${'['.repeat(40)}${']'.repeat(40)}`)
  child.stdin.end(`${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list', params })}\n`)
  const { stdout } = await ended
  assert.equal(JSON.parse(stdout).id, 2)
  assert.equal(JSON.parse(stdout).error.code, -32_603)
})

test('docket mcp answers a request that fails with the reason, and a line that is none', async () => {
  const machine = createClientMachine({ DOCKET_URL: url, DOCKET_KEY: 'dkt_wrong' })
  const child = machine.start(['mcp'])
  const { ended } = collectOutput(child)
  child.stdin.write('{"jsonrpc":"2.0","id":7,"method":"tools/list"}\nnonsense\n')
  child.stdin.end()
  const { code, stdout } = await ended
  assert.equal(code, 0)
  const replies = stdout
    .trim()
    .split('\n')
    .map((line): { id: unknown; error: { code: number; message: string } } => JSON.parse(line))
    .toSorted((a, b) => a.error.code - b.error.code)
  assert.deepEqual(
    replies.map(({ id, error }) => [id, error.code]),
    [
      [null, -32_700],
      [7, -32_603],
    ],
  )
  assert.match(replies[1]?.error.message ?? '', /invalid or has been revoked/)
})
