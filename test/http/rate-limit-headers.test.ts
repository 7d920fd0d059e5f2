import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestDocket } from '../support/engines/test-docket.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

const LIMIT = 1_000

test('every authenticated request counts against the rate limit and has its headers, no other does', async () => {
  const { storage, server } = await openTestDocket('sqlite', { DOCKET_LIMIT_PAID: String(LIMIT) })
  const { keys, project } = await createTestWorkspace(storage)
  const json = { 'content-type': 'application/json' }
  const ask = async (line: string, as: string, headers = {}, payload = '') => {
    const [method, url = ''] = line.split(' ') as ['GET', string]
    const authorization = { authorization: `Bearer ${as}` }
    const body = payload && { payload }
    return server.inject({ method, url, headers: { ...authorization, ...headers }, ...body })
  }
  const task = { project_id: project, title: 'Counted' }
  const made = await ask('POST /api/v1/tasks', keys.owner, json, JSON.stringify(task))
  const one = await ask(`GET /api/v1/projects/${project}`, keys.owner)
  const known = { 'if-none-match': String(one.headers.etag) }
  const tags = `/api/v1/projects/${project}/tags`
  let left = Number(one.headers['x-ratelimit-remaining'])

  const counted: [status: number, line: string, as: string, headers?: object, body?: string][] = [
    [200, 'HEAD /api/v1/projects', keys.owner],
    [304, `GET /api/v1/projects/${project}`, keys.owner, known],
    [400, 'GET /api/v1/projects?limit=0', keys.owner],
    [400, `POST ${tags}`, keys.owner, json, '{'],
    [403, `POST ${tags}`, keys.guest, json, '{"name":"a"}'],
    [404, 'GET /api/v1/tags/tag_x', keys.owner],
    [412, `PATCH /api/v1/tasks/TASK`, keys.owner, { ...json, 'if-match': '"0"' }, '{}'],
    [415, `POST ${tags}`, keys.owner, { 'content-type': 'text/plain' }, 'x'],
    [422, `POST ${tags}`, keys.owner, json, '{"name":""}'],
    [201, `POST ${tags}?dry_run=true`, keys.owner, json, '{"name":"a"}'],
  ]
  const uncounted: [status: number, line: string, as: string][] = [
    [401, 'GET /api/v1/projects', 'dkt_x'],
    [404, 'GET /api/v1/nothing', keys.owner],
    [405, 'DELETE /api/v1/projects', keys.owner],
    [204, 'OPTIONS /api/v1/projects', keys.owner],
    [200, 'GET /api/v1/openapi.json', keys.owner],
    [200, 'GET /healthz', keys.owner],
  ]
  for (const [status, line, as, headers, body] of counted) {
    const reply = await ask(line.replace('TASK', made.json().id), as, headers, body)
    assert.equal(reply.statusCode, status, line)
    left -= 1
    assert.equal(reply.headers['x-ratelimit-limit'], String(LIMIT), line)
    assert.ok(Number(reply.headers['x-ratelimit-reset']) * 1000 > Date.now() - 1_000, line)
    const remaining = Number(reply.headers['x-ratelimit-remaining'])
    // The minute may end in between, and the count starts again.
    assert.ok(remaining === left || remaining === LIMIT - 1, `${line}: ${remaining}, not ${left}`)
    left = remaining
  }
  for (const [status, line, as] of uncounted) {
    const reply = await ask(line, as)
    assert.equal(reply.statusCode, status, line)
    assert.equal(reply.headers['x-ratelimit-remaining'], undefined, line)
  }
  const last = await ask('GET /api/v1/projects', keys.owner)
  const remaining = Number(last.headers['x-ratelimit-remaining'])
  assert.ok(remaining === left - 1 || remaining === LIMIT - 1, `${remaining} after ${left}`)
})
