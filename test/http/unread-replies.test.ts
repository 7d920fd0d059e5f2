import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { callApi, callApiForJson } from '../experiments/shared/call-api.ts'
import { ENGINES, openTestDocket } from '../support/engines/test-docket.ts'
import { exchangeRaw, listenOnPort } from '../support/server/raw-exchange.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

const DESCRIPTION = 'x'.repeat(60_000)
/** A page of them has 6 MB. */
const PAGE_TASKS = 100
const UNAVAILABLE = 503

for (const engine of ENGINES) {
  test(`refuses requests of a workspace while 64 MiB of its replies are unread (${engine})`, async (t) => {
    const { storage, server } = await openTestDocket(engine, { DOCKET_DRAIN_SECONDS: '1' })
    const port = await listenOnPort(server)
    const [team, other] = [await createTestWorkspace(storage), await createTestWorkspace(storage)]
    const tasks = Array.from({ length: 10 }, () => ({
      project_id: team.project,
      title: 'T',
      description: DESCRIPTION,
    }))
    for (let n = 0; n < PAGE_TASKS; n += tasks.length) {
      const url = '/api/v1/tasks/bulk'
      const body = { operations: tasks.map((task) => ({ op: 'create', data: task })) }
      const reply = await callApi(server, team.keys.owner, { method: 'POST', url, body })
      assert.equal(reply.status, 200, reply.text.slice(0, 500))
    }
    const url = `/api/v1/tasks?limit=${PAGE_TASKS}`
    const get = (key: string) =>
      `GET ${url} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n\r\n`
    const statusOf = async (key: string) =>
      (await exchangeRaw(port, get(key))).replies[0]?.status
    const silent: Socket[] = []
    t.after(() => silent.forEach((socket) => socket.destroy()))
    const asked = performance.now()
    while (silent.length < 100 && (await statusOf(team.keys.owner)) !== UNAVAILABLE) {
      const socket = connect(port, '127.0.0.1').on('error', () => {}).pause()
      socket.write(get(team.keys.owner))
      silent.push(socket)
    }
    console.log(silent.length, performance.now() - asked)
    assert.ok(silent.length < 30)
    assert.equal(await statusOf(other.keys.owner), 200)
  })
}
