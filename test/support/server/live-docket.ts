import assert from 'node:assert/strict'
import type { DatabaseEngine } from '#core/transaction.ts'
import { createApp } from '#server/app.ts'
import type { Role } from '#wire/rights.ts'
import { openTestDocket, testLog } from '../engines/test-docket.ts'
import { afterFile } from '../runner/cleanup.ts'
import { TEST_SECRET } from '../system/test-secret.ts'
import { createTestSession } from '../world/test-session.ts'
import { createTestWorkspace, type TestWorkspace } from '../world/test-workspace.ts'
import { openLiveStream } from './live-stream.ts'

/** Starts a Docket that listens, with a workspace in it. */
export async function startLiveDocket(engine: DatabaseEngine) {
  const { storage, config } = await openTestDocket(engine)
  const { server } = await createApp(storage, config, TEST_SECRET, testLog, undefined, {
    sheds: false,
  })
  await server.listen({ host: '127.0.0.1', port: 0 })
  afterFile(() => server.close())
  const { port } = server.server.address() as { port: number }
  const team = await createTestWorkspace(storage)
  const headers: Partial<Record<Role, Record<string, string>>> = {}
  const live = async (role: Role) => {
    headers[role] ??= { ...(await createTestSession(storage, team, role)).headers }
    const one = await openLiveStream(port, headers[role])
    afterFile(one.close)
    return one
  }
  return { engine, storage, server, team, live, ...writeClient(port, team) }
}

const writeClient = (port: number, { keys, project }: TestWorkspace) => ({
  async post(path: string, body: object = {}, method = 'POST') {
    const headers = { authorization: `Bearer ${keys.owner}`, 'content-type': 'application/json' }
    const url = `http://127.0.0.1:${port}/api/v1${path}`
    const reply = await fetch(url, { method, headers, body: JSON.stringify(body) })
    assert.ok(reply.ok, `${method} ${path}: ${reply.status}`)
    const operation_id = reply.headers.get('x-operation-id')
    const record = reply.status === 204 ? {} : ((await reply.json()) as { id: string })
    return { id: '', ...record, operation_id }
  },
  newTask: (title: string) => ({ project_id: project, title }),
})
