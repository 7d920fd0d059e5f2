import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, watch, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createTempDir } from '#test/support/system/temp-dir.ts'
import { waitUntil } from '#test/support/system/wait-until.ts'
import {
  type MirrorRequest,
  type ScriptedReply,
  startMirror,
  startRecordingProxy,
} from './mirror-program.ts'

const PAGE_SIZE = 100
const PAGES = 20
/** So that saving takes long enough to be interrupted. */
const TEXT = 'x'.repeat(4_000)
const KEY = 'dkt_test'

const createFile = () => join(createTempDir(), 'copy.json')

/** Starts a server whose replies are those of `reply`. */
async function startFeed(t: TestContext, reply: (request: MirrorRequest) => ScriptedReply) {
  const { url, requests } = await startRecordingProxy(t, '', reply)
  const run = (file: string, ...words: string[]) =>
    startMirror(t, { DOCKET_URL: url, DOCKET_KEY: KEY }, file, ...words)
  return { requests, run }
}

const batch = (data: object[], position: string, has_more = false): ScriptedReply => ({
  status: 200,
  body: { data, position, has_more },
})

const put = (type: string, id: string, project_id: string | null, record: object = {}) => ({
  op: 'put',
  type,
  id,
  project_id,
  record: { id, ...record },
})

test('examples/mirror killed at any moment leaves a whole copy, and the next run goes on', async (t) => {
  /** Of all records; the feed has them again when it grows. */
  let version = 1
  const taskId = (at: number) => `tsk_${at % (PAGE_SIZE * PAGES)}`
  const { requests, run } = await startFeed(t, ({ query }) => {
    const from = Number(query.get('after') ?? 0)
    const end = version * PAGE_SIZE * PAGES
    const to = Math.min(from + PAGE_SIZE, end)
    const data = Array.from({ length: to - from }, (_, at) =>
      put('task', taskId(from + at), 'prj_1', { project_id: 'prj_1', version, text: TEXT }),
    )
    return batch(data, String(to), to < end)
  })
  const file = createFile()
  const copyOf = (copied: number) =>
    JSON.stringify({
      position: String(copied * PAGE_SIZE * PAGES),
      records: {
        task: Object.fromEntries(
          Array.from({ length: PAGE_SIZE * PAGES }, (_, at) => [
            taskId(at),
            { id: taskId(at), project_id: 'prj_1', version: copied, text: TEXT },
          ]),
        ),
      },
      projects: {},
    })

  async function killAfterRequests(): Promise<void> {
    const { child, ended } = run(file)
    // At the second request of a run, what the first one brought is saved.
    const until = requests.length + 2 + Math.floor(Math.random() * (PAGES / 2))
    await waitUntil('requests', () => requests.length >= until || child.exitCode !== null)
    await pause(Math.random() * 20)
    child.kill('SIGKILL')
    await ended
  }

  async function killDuringSave(): Promise<void> {
    const { child, ended } = run(file)
    const watcher = watch(dirname(file), (_, name) => {
      if (!name?.includes('.part')) child.kill('SIGKILL')
    })
    await ended
    watcher.close()
  }

  for (; version <= 2; version += 1) {
    const old = version === 1 ? undefined : copyOf(version - 1)
    for (const killWhen of [killAfterRequests, killDuringSave]) {
      await killWhen()
      const text = existsSync(file) ? readFileSync(file, 'utf8') : undefined
      assert.ok(text === old || text === copyOf(version), `${text?.length} characters`)
      if (existsSync(`${file}.part`)) JSON.parse(readFileSync(`${file}.part`, 'utf8'))
    }
    const count = requests.length
    const { code, stderr } = await run(file).ended
    assert.deepEqual([code, stderr], [0, ''])
    assert.equal(readFileSync(file, 'utf8'), copyOf(version))
    assert.deepEqual(readdirSync(dirname(file)), ['copy.json'])
    const [resumed] = requests.slice(count)
    const start = (version - 1) * PAGE_SIZE * PAGES
    assert.ok(
      Number(resumed?.query.get('after')) > start,
      'the last run goes on, not from the start',
    )
  }
})

test('examples/mirror waits for Retry-After after a 429 and a 503', async (t) => {
  const replies = [
    { status: 429, seconds: '1' },
    { status: 503, seconds: '0' },
  ].map(({ status, seconds }) => ({
    status,
    headers: { 'retry-after': seconds },
    body: { error: { code: 'try_later', message: 'Try again later.' } },
  }))
  const { requests, run } = await startFeed(t, () => replies.shift() ?? batch([], '1'))
  const { code, stderr } = await run(createFile()).ended
  assert.equal(code, 0)
  assert.deepEqual(
    stderr.match(/^\d+ \w+: .* Trying again in \d s\.$/gm)?.map((line) => line.slice(0, 13)),
    ['429 try_later', '503 try_later'],
  )
  const [limited, busy, last] = requests.map(({ at }) => at)
  assert.ok((busy ?? 0) - (limited ?? 0) >= 990, 'one second')
  assert.ok(last, 'a third request')
  assert.equal(requests.length, 3)
})

test('examples/mirror forgets comments with their project, also those of tasks it does not have', async (t) => {
  const member = put('member', 'usr_1', null)
  const replies = [
    batch([member, put('comment', 'cmt_1', 'prj_1', { task_id: 'tsk_1' })], '1'),
    batch([{ op: 'reset', type: 'project', id: 'prj_1' }], '2'),
  ]
  const { run } = await startFeed(t, () => replies.shift() ?? batch([], '2'))
  const file = createFile()
  const read = () => Object.keys(JSON.parse(readFileSync(file, 'utf8')).records)
  await run(file).ended
  assert.deepEqual(read(), ['member', 'comment'])
  await run(file).ended
  assert.deepEqual(read(), ['member'])
})

test('examples/mirror forgets what belongs to a deleted task, unless it has another task now', async (t) => {
  const entry = (id: string, task_id: string) => put('time_entry', id, 'prj_1', { task_id })
  const first = [entry('tme_1', 'tsk_1'), entry('tme_2', 'tsk_1'), entry('tme_1', 'tsk_2')]
  const remove = { op: 'delete', type: 'task', id: 'tsk_1', project_id: 'prj_1' }
  const replies = [batch([...first, remove], '1', true), batch([], '1')]
  const { run } = await startFeed(t, () => replies.shift() ?? batch([], '1'))
  const file = createFile()
  await run(file).ended
  const { time_entry } = JSON.parse(readFileSync(file, 'utf8')).records
  assert.deepEqual(Object.keys(time_entry), ['tme_1'])
})

test('examples/mirror stops cleanly while it waits for changes or for Retry-After', async (t) => {
  for (const { signal, reply } of [
    { signal: 'SIGINT', reply: batch([], '1', true) },
    {
      signal: 'SIGTERM',
      reply: { status: 429, headers: { 'retry-after': '60' }, body: {} },
    },
  ] as const) {
    const { requests, run } = await startFeed(t, () => reply)
    const { child, ended } = run(createFile(), '--follow')
    await waitUntil('a request', () => requests.length > 0 || child.exitCode !== null)
    child.kill(signal)
    assert.equal((await ended).code, 0)
  }
})

test('examples/mirror explains missing settings and files that are no copy', async (t) => {
  const start = (env: Record<string, string>, ...words: string[]) =>
    startMirror(t, env, ...words).ended
  const env = { DOCKET_URL: 'http://127.0.0.1:1', DOCKET_KEY: KEY }
  const [other, folder] = [createFile(), createFile()]
  writeFileSync(other, '{"name": "docket"}')
  mkdirSync(folder)
  const results = await Promise.all([
    start({ DOCKET_KEY: KEY }, 'copy.json'),
    start({ DOCKET_URL: env.DOCKET_URL }, 'copy.json'),
    start({ ...env, DOCKET_KEY: 'dkt_…' }, 'copy.json'),
    start(env),
    start(env, 'copy.json', '--watch'),
    start(env, other),
    start(env, folder),
  ])
  assert.deepEqual(
    results.map(({ code, stderr }) => [code, stderr.split('\n')[0]]),
    [
      [2, 'DOCKET_URL is missing, or is no URL.'],
      [2, 'DOCKET_KEY is missing, or is no API key.'],
      [2, 'DOCKET_KEY is missing, or is no API key.'],
      [2, 'Name the file of the copy.'],
      [2, results[4]?.stderr.split('\n')[0]],
      [1, `${other} is no copy that this program has saved. Name another file.`],
      [1, results[6]?.stderr.split('\n')[0]],
    ],
  )
  assert.match(results[6]?.stderr ?? '', /copy\.json cannot be read: EISDIR/)
  assert.match(results[4]?.stderr ?? '', /--watch[\s\S]*\n\nUsage: /)
  assert.equal(readFileSync(other, 'utf8'), '{"name": "docket"}')
})
