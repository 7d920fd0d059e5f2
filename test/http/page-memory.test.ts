import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestDocket } from '../support/engines/test-docket.ts'
import { exchangeRaw, listenOnPort } from '../support/server/raw-exchange.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

const PAGE_COUNT = 40
const TASK_COUNT = 50
/** Pages of 2 MB: more than the buffers of a connection hold. */
const DESCRIPTION_LENGTH = 40_000

test('the memory of a page is freed only after a slow client has it', async () => {
  const { storage, server } = await openTestDocket('sqlite')
  const { keys, project } = await createTestWorkspace(storage)
  const port = await listenOnPort(server)
  const url = `http://127.0.0.1:${port}/api/v1`
  const headers = { authorization: `Bearer ${keys.owner}` }
  const operations = Array.from({ length: TASK_COUNT }, (_, n) => ({
    op: 'create',
    // One page is ASCII, and the other is not.
    data: {
      ...{ project_id: project, title: `Task ${n}`, priority: n < TASK_COUNT / 2 ? 'low' : 'high' },
      description: (n < TASK_COUNT / 2 ? 'a' : 'é').repeat(DESCRIPTION_LENGTH / 2),
    },
  }))
  for (const some of [operations.slice(0, 25), operations.slice(25)]) {
    const body = JSON.stringify({ operations: some })
    const options = {
      method: 'POST',
      body,
      headers: { ...headers, 'content-type': 'application/json' },
    }
    assert.equal((await fetch(`${url}/tasks/bulk`, options)).status, 200)
  }
  const lists = ['low', 'high'].map((priority) => `/tasks?priority=${priority}&limit=25`)
  const read = async (list: string) => (await fetch(url + list, { headers })).text()
  const expected = await Promise.all(lists.map(read))
  const heads = Array.from({ length: PAGE_COUNT }, (_, at) => {
    const connection = at < PAGE_COUNT - 1 ? 'keep-alive' : 'close'
    return (
      `GET /api/v1${lists[at % 2]} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: ${connection}\r\n` +
      `Authorization: ${headers.authorization}\r\n\r\n`
    )
  })
  // The client sends all requests before it reads, while others get pages in memory that was freed.
  const slow = exchangeRaw(port, heads, {
    ...{ keepsOpen: true, pauseMs: 20, timeoutMs: 60_000, readsAfterWriting: true },
  })
  for (let round = 0; round < PAGE_COUNT; round++)
    assert.equal(await read(lists[round % 2] ?? ''), expected[round % 2])
  const { replies, error } = await slow
  assert.equal(error, undefined)
  assert.equal(replies.length, PAGE_COUNT)
  for (const [at, { body }] of replies.entries())
    assert.ok(Buffer.from(body, 'latin1').equals(Buffer.from(expected[at % 2] ?? '')), `page ${at}`)
})
