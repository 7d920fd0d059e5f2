import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { DatabaseEngine } from '#core/transaction.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { listenOnPort } from '#test/support/server/raw-exchange.ts'
import { createTempDir } from '#test/support/system/temp-dir.ts'
import { waitUntil } from '#test/support/system/wait-until.ts'
import { createTestSession } from '#test/support/world/test-session.ts'
import { createScopedKey, createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { type ScriptedReply, startMirror, startRecordingProxy } from './mirror-program.ts'

interface MirroredRecord {
  id: string
  [field: string]: unknown
}

type RecordsByType = Record<string, Record<string, MirroredRecord>>

interface SavedCopy {
  position: string
  records: RecordsByType
}

const createFile = () => join(createTempDir(), 'copy.json')
const readCopy = (file: string): SavedCopy => JSON.parse(readFileSync(file, 'utf8'))

/** Starts a server with a workspace and a proxy before it, whose next replies are `scripted`. */
async function startDocket(t: TestContext, engine: DatabaseEngine) {
  const { server, storage, config } = await openTestDocket(engine)
  const team = await createTestWorkspace(storage)
  const target = `http://127.0.0.1:${await listenOnPort(server)}`
  const scripted: ScriptedReply[] = []
  const { url, requests } = await startRecordingProxy(t, target, () => scripted.shift())
  const env = { DOCKET_URL: url, DOCKET_KEY: team.keys.owner }
  const authorization = `Bearer ${team.keys.owner}`

  async function send(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, payload?: object) {
    const isInternal = path.startsWith('/internal/')
    const headers = isInternal
      ? (await createTestSession(storage, team, 'owner', config.baseUrl)).headers
      : { authorization }
    const reply = await server.inject({ method, url: path, headers, ...(payload && { payload }) })
    assert.ok(reply.statusCode < 300, `${method} ${path}: ${reply.statusCode} ${reply.body}`)
    return reply.body === '' ? undefined : reply.json()
  }

  const create = async (path: string, payload: object): Promise<string> =>
    (await send('POST', path, payload)).id

  async function list(path: string): Promise<MirroredRecord[]> {
    const { data, next_cursor } = await send(
      'GET',
      `${path}${path.includes('?') ? '&' : '?'}limit=200`,
    )
    assert.equal(next_cursor ?? null, null)
    return data
  }

  /** All records that the lists of the API have. */
  async function readLists(): Promise<RecordsByType> {
    const projects = await list('/api/v1/projects')
    const listAll = async (parents: MirroredRecord[], path: (id: string) => string) =>
      (await Promise.all(parents.map(({ id }) => list(path(id))))).flat()
    const tasks = await listAll(projects, (id) => `/api/v1/projects/${id}/tasks`)
    const ofTasks = (name: string) => listAll(tasks, (id) => `/api/v1/tasks/${id}/${name}`)
    const lists = {
      member: await list('/api/v1/workspace/members'),
      project: projects,
      tag: await listAll(projects, (id) => `/api/v1/projects/${id}/tags`),
      task: tasks,
      comment: await ofTasks('comments'),
      time_entry: await ofTasks('time-entries'),
      attachment: await ofTasks('attachments'),
    }
    return withoutActivity(
      Object.fromEntries(
        Object.entries(lists)
          .filter(([, records]) => records.length > 0)
          .map(([type, records]) => [
            type,
            Object.fromEntries(records.map((record) => [record.id, record])),
          ]),
      ),
    )
  }

  return { team, storage, env, requests, scripted, send, create, readLists }
}

/** Without `last_active_at` of members, which moves without a change. */
function withoutActivity(records: RecordsByType): RecordsByType {
  const members = Object.entries(records.member ?? {}).map(([id, member]) => [
    id,
    { ...member, last_active_at: null },
  ])
  return { ...records, member: Object.fromEntries(members) }
}

const isSame = (one: object, other: object): boolean => {
  try {
    assert.deepStrictEqual(one, other)
    return true
  } catch {
    return false
  }
}

for (const engine of ENGINES) {
  test(`examples/mirror copies a workspace and follows its changes (${engine})`, async (t) => {
    const { team, env, requests, send, create, readLists } = await startDocket(t, engine)
    const file = createFile()
    const { project } = team
    const tag = await create(`/api/v1/projects/${project}/tags`, { name: 'urgent' })
    const createTask = (title: string) =>
      create('/api/v1/tasks', { project_id: project, title, tag_ids: [tag] })
    const [kept, deleted] = [await createTask('Kept'), await createTask('Deleted')]
    for (const task of [kept, deleted]) {
      await create(`/api/v1/tasks/${task}/comments`, { body: 'A comment' })
      await create(`/api/v1/tasks/${task}/time-entries`, { duration_seconds: 100 })
    }
    const before = await readLists()
    const { child, output, ended } = startMirror(t, env, file, '--follow')
    await waitUntil('the copy', () => output.stdout !== '' || child.exitCode !== null)
    assert.equal(output.stderr, '')
    assert.deepStrictEqual(withoutActivity(readCopy(file).records), before)

    const added = await createTask('Added')
    await send('PATCH', `/api/v1/tasks/${kept}`, { priority: 'high' })
    await send('DELETE', `/api/v1/tasks/${deleted}`)
    await send('DELETE', `/api/v1/tags/${tag}`)
    const copied = () => withoutActivity(readCopy(file).records)
    const waitForCopy = async () => {
      const lists = await readLists()
      await waitUntil('all changes', () => isSame(copied(), lists) || child.exitCode !== null)
      assert.deepStrictEqual(copied(), lists)
      return lists
    }
    await waitForCopy()
    await send('PATCH', `/internal/projects/${project}`, { prefix: 'NEW' })
    const after = await waitForCopy()
    assert.deepEqual(Object.keys(after.task ?? {}).toSorted(), [kept, added].toSorted())
    assert.deepEqual([Object.keys(after.comment ?? {}).length, after.tag], [1, undefined])
    assert.match(String(after.task?.[kept]?.short_id), /^NEW-/)
    child.kill('SIGTERM')
    assert.deepEqual([(await ended).code, output.stderr], [0, ''])
    assert.deepEqual(readdirSync(join(file, '..')), ['copy.json'])
    const paths = new Set(requests.map(({ path }) => path))
    assert.deepEqual([...paths], ['/api/v1/changes'])
    assert.equal(requests.filter(({ query }) => !query.has('after')).length, 1)

    const count = requests.length
    const { position } = readCopy(file)
    const again = await startMirror(t, env, file).ended
    assert.deepEqual([again.code, again.stderr], [0, ''])
    assert.deepEqual(
      requests.slice(count).map(({ query }) => query.get('after')),
      [position],
    )
  })

  test(`examples/mirror begins again when its position has expired (${engine})`, async (t) => {
    const { env, requests, scripted, readLists } = await startDocket(t, engine)
    const file = createFile()
    const { code } = await startMirror(t, env, file).ended
    assert.equal(code, 0)
    const copy = readCopy(file)
    const record = { id: 'tsk_gone' }
    const records = { ...copy.records, task: { tsk_gone: record } }
    writeFileSync(file, JSON.stringify({ ...copy, records }))
    scripted.push({ status: 410, body: { error: { code: 'position_expired', message: 'Old.' } } })
    const count = requests.length
    assert.equal((await startMirror(t, env, file).ended).code, 0)
    assert.deepStrictEqual(withoutActivity(readCopy(file).records), await readLists())
    assert.deepEqual(
      requests.slice(count).map(({ query }) => query.has('after')),
      [true, false],
    )
  })

  test(`examples/mirror explains what is wrong with the key (${engine})`, async (t) => {
    const { team, storage, env } = await startDocket(t, engine)
    const scoped = await createScopedKey(storage, team, 'owner', ['webhooks:read'])
    const run = (key: string) => startMirror(t, { ...env, DOCKET_KEY: key }, createFile()).ended
    const [wrong, narrow] = await Promise.all([run('dkt_wrong'), run(scoped)])
    assert.deepEqual([wrong.code, narrow.code], [1, 1])
    assert.match(wrong.stderr, /^401 invalid_token: .* Check DOCKET_KEY\.\n$/)
    assert.match(narrow.stderr, /^403 insufficient_scope: .*\n$/)
  })
}
