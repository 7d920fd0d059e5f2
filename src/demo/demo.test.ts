import assert from 'node:assert/strict'
import { test } from 'node:test'
import { docketOn, ENGINES } from '#test/support/engines.ts'
import { makeDemo } from './make.ts'

type Row = Record<string, unknown> & { id: string }

for (const engine of ENGINES) {
  test(`the demo is a project at work, and its key opens it (${engine})`, async () => {
    const { storage, server } = await docketOn(engine)
    const { api_key, email, password } = await makeDemo(storage, {
      plan: 'free',
      timezone: 'Pacific/Auckland',
    })
    assert.equal(email, 'maya@demo.example')
    assert.equal(password.length, 20)
    const list = async (url: string): Promise<Row[]> => {
      const headers = { authorization: `Bearer ${api_key}` }
      const reply = await server.inject({ method: 'GET', url: `/api/v1${url}`, headers })
      assert.equal(reply.statusCode, 200, reply.body)
      return reply.json().data
    }
    const members = await list('/workspace/members')
    assert.deepEqual(
      members.map(({ role }) => role),
      ['owner', 'admin', 'member', 'member', 'guest'],
    )
    const tasks = await list('/tasks?limit=200')
    assert.equal(tasks.length, 25)
    const having = (fits: (task: Row) => unknown) => tasks.filter(fits).length
    assert.equal(new Set(tasks.map(({ status }) => status)).size, 6)
    assert.equal(
      having(({ parent_id }) => parent_id),
      10,
    )
    assert.equal(
      having(({ status }) => status === 'done'),
      5,
    )
    assert.ok(having(({ blocked_by_ids }) => String(blocked_by_ids)) >= 6)
    assert.equal(
      having(({ time_spent_seconds }) => time_spent_seconds),
      7,
    )
    assert.equal(
      having(({ recurrence }) => recurrence),
      1,
    )

    const talked = tasks.find(({ title }) => title === 'Design the page templates')
    const comments = await list(`/tasks/${talked?.id}/comments`)
    assert.equal(comments.filter(({ parent_id }) => parent_id).length, 2)
    assert.equal(comments.filter(({ mentions }) => String(mentions)).length, 1)
    const events = await list('/events?limit=200')
    const kinds = Object.groupBy(events, ({ type }) => String(type))
    assert.equal(kinds['task.created']?.length, 25)
    assert.equal(kinds['task.completed']?.length, 5)
    assert.ok(kinds['comment.created'] && kinds['task.assigned'])
  })
}
