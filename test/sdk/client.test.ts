import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { createApiKey } from '#auth/keys/api-keys.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { openTestDocket } from '#test/support/engines/test-docket.ts'
import { formatHttpReply, startRawServer } from '#test/support/services/raw-server.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { SCOPES } from '#wire/scopes.ts'
import { followChanges } from '../../sdk/src/changes.ts'
import {
  completeTask,
  createComment,
  createTask,
  Docket,
  DocketError,
  type DocketOptions,
  deleteTask,
  downloadAttachment,
  getComment,
  getMe,
  getOperation,
  getTask,
  isDocketError,
  listChanges,
  listEvents,
  listTaskComments,
  listTasks,
  restoreTask,
  updateComment,
  updateTask,
  uploadAttachment,
} from '../../sdk/src/index.ts'

test('reads a whole list, page by page, and goes on at a cursor', async () => {
  const { docket, project } = await startDocket()
  for (let at = 1; at <= 7; at += 1)
    await createTask(docket, { project_id: project, title: `${at}` })
  const query = { sort: 'created_at', limit: 3 } as const
  const all = await listTasks(docket, query).toArray()
  assert.deepEqual(
    all.map(({ title }) => title),
    ['1', '2', '3', '4', '5', '6', '7'],
  )
  const titles: string[] = []
  let cursor: string | undefined
  for await (const page of listTasks(docket, query).pages()) {
    titles.push(page.data.map(({ title }) => title).join())
    if (titles.length === 1) cursor = page.next_cursor ?? undefined
  }
  assert.deepEqual(titles, ['1,2,3', '4,5,6', '7'])
  const rest = await listTasks(docket, { ...query, cursor }).toArray()
  assert.deepEqual(
    rest.map(({ title }) => title),
    ['4', '5', '6', '7'],
  )
})

test('a list that breaks off says where to go on', async () => {
  let requests = 0
  const { docket, project } = await startDocket({
    maxRetries: 0,
    fetch: (input, init) => {
      requests += 1
      return requests === 8 ? Promise.reject(new TypeError('cut')) : fetch(input, init)
    },
  })
  for (let at = 1; at <= 5; at += 1)
    await createTask(docket, { project_id: project, title: `${at}` })
  const query = { sort: 'created_at', limit: 2 } as const
  const read: string[] = []
  let cursor: string | undefined
  try {
    for await (const { title } of listTasks(docket, query)) read.push(title)
    assert.fail('it ended')
  } catch (error) {
    assert.ok(isDocketError(error, 'network_error'), String(error))
    cursor = error.cursor
  }
  for await (const { title } of listTasks(docket, { ...query, cursor })) read.push(title)
  assert.deepEqual(read, ['1', '2', '3', '4', '5'])
})

test('writes once although the reply is lost', async () => {
  const lost = new Set<string>()
  const { docket, project } = await startDocket({
    async fetch(input, init) {
      const response = await fetch(input, init)
      const key = new Headers(init?.headers).get('idempotency-key') ?? ''
      if (key === '' || lost.has(key)) return response
      lost.add(key)
      throw new TypeError('The connection was reset')
    },
  })
  const task = await createTask(docket, { project_id: project, title: 'Once' })
  await createComment(docket, task.short_id, { body: 'Said' })
  await deleteTask(docket, task.id)
  await restoreTask(docket, task.id)
  assert.equal(lost.size, 4)
  assert.deepEqual(await listEventTypes(docket), [
    'task.created',
    'comment.created',
    'task.deleted',
    'task.updated',
  ])
  const same = { idempotencyKey: 'import-1' }
  const first = await createTask(docket, { project_id: project, title: 'Imported' }, same)
  const second = await createTask(docket, { project_id: project, title: 'Imported' }, same)
  assert.equal(first.id, second.id)
})

test('replaces nothing that somebody else has changed meanwhile', async () => {
  const { docket, project } = await startDocket()
  const base = await createTask(docket, { project_id: project, title: 'Base' })
  await updateTask(docket, base.id, { title: 'Theirs' })
  await assert.rejects(updateTask(docket, base.id, { title: 'Mine' }, { ifMatch: base }), {
    code: 'version_mismatch',
    status: 412,
  })
  await assert.rejects(completeTask(docket, base.id, { ifMatch: base }), {
    code: 'version_mismatch',
  })
  const merged = await updateTask(
    docket,
    base.id,
    { title: 'Mine', priority: 'high' },
    {
      ifMatch: base,
      onConflict: ({ base, mine, theirs }) => {
        assert.deepEqual([base?.title, theirs.title], ['Base', 'Theirs'])
        return { ...mine, title: `${theirs.title} and ${mine.title}` }
      },
    },
  )
  assert.deepEqual([merged.title, merged.priority], ['Theirs and Mine', 'high'])
  const done = await completeTask(docket, base.id, { ifMatch: base, onConflict: () => true })
  assert.equal(done.status, 'done')
  const gaveUp = { ifMatch: base, onConflict: () => undefined }
  await assert.rejects(updateTask(docket, base.id, { title: 'No' }, gaveUp), {
    code: 'version_mismatch',
  })
  assert.equal((await getTask(docket, base.id)).title, 'Theirs and Mine')
  // A record of a list has no ETag, and only a task has its version beside.
  const [listed] = await listTasks(docket).toArray()
  assert.ok(listed)
  await updateTask(docket, base.id, { title: 'By version' }, { ifMatch: listed })
  const { id } = await createComment(docket, base.id, { body: 'First' })
  const comment = await getComment(docket, id)
  await updateComment(docket, id, { body: 'Second' }, { ifMatch: comment })
  await assert.rejects(updateComment(docket, id, { body: 'Third' }, { ifMatch: comment }), {
    code: 'version_mismatch',
  })
  const [ofList] = await listTaskComments(docket, base.id).toArray()
  assert.ok(ofList)
  await assert.rejects(updateComment(docket, id, { body: 'No' }, { ifMatch: ofList }), TypeError)
})

test('errors say what is wrong, and final ones are not repeated', async () => {
  let requests = 0
  const { docket, project } = await startDocket({
    fetch: (input, init) => {
      requests += 1
      return fetch(input, init)
    },
  })
  try {
    await createTask(docket, { project_id: project, title: '' })
    assert.fail('it was created')
  } catch (error) {
    assert.ok(isDocketError(error))
    assert.equal(error.code, 'validation_failed')
    assert.equal(error.status, 422)
    assert.deepEqual(
      error.details.map(({ field, code }) => [field, code]),
      [['title', 'too_short']],
    )
    assert.match(error.request_id ?? '', /^req_/)
    assert.match(error.doc_url ?? '', /\/docs\/errors#validation_failed$/)
  }
  await assert.rejects(getTask(docket, '../me'), { code: 'not_found' })
  assert.equal(requests, 2)
  const trial = { project_id: project, title: 'Trial' }
  assert.equal((await createTask(docket, trial, { dryRun: true })).title, 'Trial')
  assert.deepEqual(await listTasks(docket).toArray(), [])
})

test('a write of a supervised key that waits for a person is an error with its operation', async () => {
  const { docket, storage, team, project } = await startDocket()
  const supervision = {
    deletions: true,
    moves: false,
    webhooks: false,
    members: false,
    records_per_request: null,
    records_per_hour: null,
  }
  const actor = { ...ANONYMOUS_ACTOR, workspace_id: team.workspace }
  const { api_key } = await storage.write(actor, (tx) =>
    createApiKey(tx, {
      user_id: team.people.owner,
      name: 'Agent',
      scopes: SCOPES,
      expires_at: null,
      supervision,
    }),
  )
  const { id } = await createTask(docket, { project_id: project, title: 'Old' })
  const agent = new Docket({ baseUrl: docket.baseUrl, token: api_key })
  const error = await deleteTask(agent, id).catch((thrown: unknown) => thrown)
  assert.ok(isDocketError(error, 'approval_pending'))
  const operation = await getOperation(agent, error.operation_id ?? '')
  assert.deepEqual([operation.status, operation.reasons], ['pending', ['deletions']])
  assert.equal((await getTask(docket, id)).title, 'Old')
})

test('sends and returns files as they are', async () => {
  const { docket, project } = await startDocket()
  const { id } = await createTask(docket, { project_id: project, title: 'File' })
  const bytes = new Uint8Array([0, 255, 10, 13, 128])
  const file = new Blob([bytes], { type: 'image/png' })
  const stored = await uploadAttachment(docket, id, file, { filename: 'a.png' })
  assert.equal(stored.content_type, 'image/png')
  const content = await downloadAttachment(docket, stored.id)
  assert.deepEqual(new Uint8Array(await content.arrayBuffer()), bytes)
})

test('a new token replaces one that was refused', async () => {
  const { team, port } = await startDocket()
  const asked: (string | undefined)[] = []
  const token = (refused?: string) => {
    asked.push(refused)
    return refused === undefined ? 'dkt_outdated' : team.keys.owner
  }
  const docket = new Docket({ baseUrl: `http://127.0.0.1:${port}`, token })
  assert.equal((await getMe(docket)).user.id, team.people.owner)
  assert.deepEqual(asked, [undefined, 'dkt_outdated'])
  const locked = new Docket({ baseUrl: docket.baseUrl, token: () => 'dkt_outdated' })
  await assert.rejects(getMe(locked), { code: 'invalid_token', status: 401 })
})

async function startDocket(options: Partial<DocketOptions> = {}) {
  const { storage, server } = await openTestDocket('sqlite')
  if (!server.server.listening) await server.listen({ host: '127.0.0.1', port: 0 })
  const address = server.server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const team = await createTestWorkspace(storage)
  const docket = new Docket({
    baseUrl: `http://127.0.0.1:${port}`,
    token: team.keys.owner,
    ...options,
  })
  return { docket, storage, team, port, project: team.project }
}

async function listEventTypes(docket: Docket): Promise<string[]> {
  const events = await listEvents(docket, { after_sequence: 0 }).toArray()
  return events.map(({ type }) => type)
}

const envelope = (code: string) => JSON.stringify({ error: { code, message: code } })

/** A server that gives these answers one after another, and the last one for ever. */
async function startAnswers(t: Parameters<typeof startRawServer>[0], ...answers: string[]) {
  const times: number[] = []
  const server = await startRawServer(t, (socket) => {
    socket.write(answers[Math.min(times.length, answers.length - 1)] ?? '')
    times.push(Date.now())
  })
  const docket = new Docket({ baseUrl: `http://127.0.0.1:${server.port}`, token: 'key' })
  return { docket, times, requests: server.requests }
}

const OK = formatHttpReply(200, '{}')

test('repeats what the code allows, and only that', async (t) => {
  const later = { 'retry-after': '0' }
  for (const [answer, attempts, code] of [
    [formatHttpReply(503, envelope('unavailable'), later), 2],
    ...[408, 425, 429, 502, 520, 524].map(
      (status) => [formatHttpReply(status, '<html>Not now</html>'), 2] as const,
    ),
    [formatHttpReply(409, envelope('limit_reached'), later), 1, 'limit_reached'],
    [formatHttpReply(500, envelope('internal_error'), later), 1, 'internal_error'],
    [formatHttpReply(503, envelope('something_new'), later), 1, 'something_new'],
    [formatHttpReply(429, envelope('too_many_attempts'), later), 1, 'too_many_attempts'],
    [formatHttpReply(301, '', { location: '/' }), 1, 'unexpected_response'],
    [formatHttpReply(404, '<html>Not Docket</html>'), 1, 'unexpected_response'],
    [formatHttpReply(200, '<html>Not Docket</html>'), 1, 'unexpected_response'],
  ] as const) {
    const { docket, requests } = await startAnswers(t, answer, OK)
    const sent = createTask(docket, { project_id: 'prj_1', title: 'Again' })
    if (code) await assert.rejects(sent, { code }, answer)
    else await sent
    assert.equal(requests.length, attempts, answer)
    const keys = requests.map((request) => /idempotency-key: (\S+)/i.exec(request)?.[1])
    assert.equal(new Set(keys).size, 1, 'each attempt has the key of the first')
    assert.ok(keys[0])
  }
})

test('who follows changes outlasts a server that is away', async (t) => {
  const away = formatHttpReply(503, envelope('unavailable'), { 'retry-after': '0' })
  const page = formatHttpReply(200, JSON.stringify({ data: [], position: '1', has_more: false }))
  const server = await startAnswers(t, page, away, away, page, away)
  const docket = new Docket({ baseUrl: server.docket.baseUrl, token: 'key', maxRetries: 0 })
  const pages = followChanges(docket)
  await pages.next()
  await pages.next()
  assert.equal(server.requests.length, 4)
  await assert.rejects(followChanges(docket).next(), { code: 'unavailable' })
})

test('holds the whole queue while the server refuses', async (t) => {
  const refused = formatHttpReply(429, envelope('rate_limit_exceeded'), { 'retry-after': '1' })
  const { docket, times } = await startAnswers(t, refused, OK)
  await getMe(docket)
  const [first = 0, second = 0] = times
  assert.ok(second - first >= 1000, `${second - first} ms`)
})

test('starts no request beyond what is left of the minute', async (t) => {
  const now = Math.ceil(Date.now() / 1000)
  const left = (remaining: number, seconds: number) =>
    formatHttpReply(200, '{}', {
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': String(now + 60),
      date: new Date((now + 60 - seconds) * 1000).toUTCString(),
    })
  const { docket, times } = await startAnswers(t, left(2, 60), left(1, 2), left(0, 2), OK)
  await getMe(docket)
  await Promise.all(Array.from({ length: 8 }, () => getMe(docket)))
  assert.equal(times.length, 9)
  const [first = 0, , third = 0, fourth = 0] = times
  assert.ok(third - first < 30_000 && fourth - third >= 1_000, times.join())
})

test('goes on with the next minute as soon as a reply of it arrives', async (t) => {
  const now = Math.ceil(Date.now() / 1000)
  const left = (remaining: number, resetsAt: number) =>
    formatHttpReply(200, '{}', {
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': String(resetsAt),
      date: new Date(now * 1000).toUTCString(),
    })
  const { docket, times } = await startAnswers(t, left(0, now + 60), left(500, now + 120))
  await Promise.all([getMe(docket), getMe(docket)])
  await getMe(docket)
  assert.ok(Date.now() - (times[0] ?? 0) < 30_000)
})

test('a request that waits for changes takes no turn of others', async (t) => {
  const { docket: one, requests } = await startAnswers(t, '', OK)
  const docket = new Docket({ baseUrl: one.baseUrl, token: 'key', concurrency: 1 })
  const { signal, abort } = createAbort()
  const waiting = listChanges(docket, { wait: 30 }, { signal })
  while (requests.length === 0) await setTimeout(5)
  await getMe(docket)
  abort()
  await assert.rejects(waiting, { name: 'AbortError' })
  assert.equal(requests.length, 2)
})

test('a token that cannot be loaded for a moment is loaded again', async (t) => {
  const { docket: one, requests } = await startAnswers(t, OK)
  let loads = 0
  const token = async () => {
    loads += 1
    if (loads === 1) throw new DocketError({ code: 'network_error', message: 'The server is away' })
    return 'key'
  }
  await getMe(new Docket({ baseUrl: one.baseUrl, token }))
  assert.deepEqual([loads, requests.length], [2, 1])
  const never = new Docket({ baseUrl: one.baseUrl, token: () => new Promise<string>(() => {}) })
  const { signal, abort } = createAbort()
  const call = getMe(never, { signal })
  abort()
  await assert.rejects(call, { name: 'AbortError' })
})

test('refuses ids and keys that would mean another address or header', async () => {
  const docket = new Docket({ baseUrl: 'http://127.0.0.1:1', token: 'dkt_one\ndkt_two' })
  for (const id of ['', '.', '..']) assert.throws(() => getTask(docket, id), TypeError)
  await assert.rejects(getMe(docket), (error) => {
    assert.ok(error instanceof TypeError)
    assert.doesNotMatch(`${error.message} ${error.stack}`, /dkt_/)
    return true
  })
})

function createAbort() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}

test('a call that is aborted leaves the queue', async (t) => {
  const refused = formatHttpReply(429, envelope('rate_limit_exceeded'), { 'retry-after': '1' })
  const { docket, requests } = await startAnswers(t, refused, OK)
  const first = getMe(docket)
  await setTimeout(100)
  const controller = new AbortController()
  const second = getMe(docket, { signal: controller.signal })
  controller.abort(new Error('no longer needed'))
  await assert.rejects(second, { message: 'no longer needed' })
  await first
  assert.equal(requests.length, 2)
})

test('an answer that never comes ends after the time that the call allows', async (t) => {
  const { docket: silent } = await startAnswers(t, '')
  let sentCount = 0
  const counting: typeof fetch = (input, init) => {
    sentCount += 1
    return fetch(input, init)
  }
  const { baseUrl } = silent
  const docket = new Docket({ baseUrl, token: 'key', maxRetries: 1, fetch: counting })
  const call = getTask(docket, 'ENG-1', { timeoutMs: 100 })
  await assert.rejects(call, { code: 'network_error', message: /100 ms have passed/ })
  assert.equal(sentCount, 2)
})
