import assert from 'node:assert/strict'
import type { Role } from '#wire/rights.ts'
import { openTestDocket, type TestDocket } from '../engines/test-docket.ts'
import { createTestSession } from './test-session.ts'
import { createTestWorkspace, type TestWorkspace } from './test-workspace.ts'

/** A new workspace of a Docket, and a client of its people. */
export async function openTestClient(...asked: Parameters<typeof openTestDocket>) {
  const docket = await openTestDocket(...asked)
  const team = await createTestWorkspace(docket.storage)
  return { ...docket, team, ...createTestClient(docket, team) }
}

/** Sends requests of the people of a workspace, with their keys, and to internal endpoints with a session. */
export function createTestClient(
  { storage, server, config }: Pick<TestDocket, 'storage' | 'server' | 'config'>,
  team: TestWorkspace,
) {
  /** Sends a request given as a line such as `POST /api/v1/tasks`, with a JSON body. */
  async function request(line: string, payload?: object, as: Role = 'owner', headers: object = {}) {
    const [method, url = ''] = line.split(' ')
    const credential = url.startsWith('/internal')
      ? (await createTestSession(storage, team, as, config.baseUrl)).headers
      : { authorization: `Bearer ${team.keys[as]}` }
    const reply = await server.inject({
      method: method as 'GET',
      url,
      headers: { ...credential, ...headers },
      ...(payload && { payload }),
    })
    return { status: reply.statusCode, body: reply.body === '' ? {} : reply.json() }
  }
  return {
    request,
    /** Sends a request that must succeed, and returns the JSON of its reply. */
    async send(...sent: Parameters<typeof request>) {
      const { status, body } = await request(...sent)
      assert.ok(status < 300, `${sent[0]} → ${status} ${JSON.stringify(body)}`)
      return body
    },
  }
}
