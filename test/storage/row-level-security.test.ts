import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { openLog } from '#http/log.ts'
import { openStore } from '#storage/open.ts'
import { type Home, newHome } from '#test/support/home.ts'
import { app } from '../../src/app.ts'
import { configFrom } from '../../src/config.ts'

/**
 * The same statements on a PostgreSQL that shows a connection the rows of one workspace only. Docket
 * does not rely on it; but a statement that needed rows of another workspace, or wrote one, would fail here.
 */
const dataDir = mkdtempSync(join(tmpdir(), 'docket-rls-'))
const name = `docket_rls_${process.pid}`
const log = openLog('silent')
let admin: pg.Pool
let ours: Home
let theirs: Home

const urlOf = (database: string) => {
  const url = new URL(process.env.TEST_POSTGRES ?? '')
  url.pathname = `/${database}`
  return url
}

async function open(url: URL) {
  const config = configFrom({
    DOCKET_DATA_DIR: dataDir,
    DOCKET_SECRET: 'a secret of this test',
    DOCKET_DATABASE_URL: url.href,
  })
  const { storage, secret } = await openStore(config)
  return { storage, server: app(storage, config, secret, log).server }
}

before(async () => {
  const first = new pg.Pool({ connectionString: urlOf('postgres').href })
  await first.query(`create database ${name}`)
  await first.end()
  const { storage } = await open(urlOf(name))
  ours = await newHome(storage)
  theirs = await newHome(storage)
  await storage.close()
  admin = new pg.Pool({ connectionString: urlOf(name).href })
  await admin.query(`
    create role ${name} login password 'walls';
    grant all on schema public to ${name};
    grant all on all tables in schema public to ${name};`)
  const { rows } = await admin.query<{ table_name: string }>(`
    select table_name from information_schema.columns
    where table_schema = 'public' and column_name = 'workspace_id'`)
  assert.ok(rows.length > 10)
  for (const { table_name } of rows) await wall(table_name, 'workspace_id')
  await wall('workspaces', 'id')
})

const wall = (table: string, column: string) =>
  admin.query(`
    alter table ${table} enable row level security;
    create policy wall on ${table} using (${column} = current_setting('docket.workspace_id'))
      with check (${column} = current_setting('docket.workspace_id'));`)

after(async () => {
  await admin.end()
  const last = new pg.Pool({ connectionString: urlOf('postgres').href })
  await last.query(`drop database ${name} with (force)`)
  await last.query(`drop role ${name}`)
  await last.end()
  rmSync(dataDir, { recursive: true, force: true })
})

test('every statement of a workspace finds its rows behind a wall, and nobody else’s', async () => {
  const url = urlOf(name)
  url.username = name
  url.password = 'walls'
  url.searchParams.set('options', `-c docket.workspace_id=${ours.workspace}`)
  const { storage, server } = await open(url)
  const send = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) => {
    const reply = await server.inject({
      method,
      url: `/api/v1${path}`,
      headers: { authorization: `Bearer ${ours.keys.owner}`, 'content-type': 'application/json' },
      ...(body && { payload: body }),
    })
    assert.ok(reply.statusCode < 300, `${method} ${path}: ${reply.statusCode} ${reply.body}`)
    return reply.body === '' ? undefined : reply.json()
  }
  try {
    const { project, hidden, people } = ours
    const tag = await send('POST', `/projects/${project}/tags`, { name: 'Wall' })
    const parent = await send('POST', '/tasks', { project_id: project, title: 'Parent' })
    const task = await send('POST', '/tasks', {
      project_id: project,
      title: 'Behind a wall',
      parent_id: parent.id,
      tag_ids: [tag.id],
      assignee_ids: [people.member],
      blocked_by_ids: [parent.id],
      external_source: 'test',
      external_id: '1',
    })
    const comment = await send('POST', `/tasks/${task.id}/comments`, {
      body: `Hello <@${people.admin}>`,
    })
    assert.deepEqual(comment.mentions, [people.admin])
    await send('POST', `/tasks/${task.id}/time-entries`, { running: true })
    await send('PATCH', `/tasks/${task.id}`, { title: 'Still behind it', before_id: parent.id })
    await send('PATCH', `/tasks/${parent.id}`, { project_id: hidden })
    await send('POST', `/tasks/${task.id}/complete`)
    await send('DELETE', `/tasks/${parent.id}`)
    await send('POST', `/tasks/${parent.id}/restore`)
    assert.equal((await send('GET', '/tasks?q=behind')).data.length, 1)
    for (const path of ['/projects', '/workspace/members', '/webhooks', '/events', '/me']) {
      await send('GET', path)
    }
    await send('POST', '/webhooks', { url: 'https://example.com/hook', events: ['*'] })

    const stranger = await server.inject({
      url: '/api/v1/me',
      headers: { authorization: `Bearer ${theirs.keys.owner}` },
    })
    assert.equal(stranger.statusCode, 401)
    const pool = new pg.Pool({ connectionString: url.href })
    const { rows } = await pool.query('select distinct workspace_id from projects')
    await pool.end()
    assert.deepEqual(rows, [{ workspace_id: ours.workspace }])
  } finally {
    await server.close()
    await storage.close()
  }
})
