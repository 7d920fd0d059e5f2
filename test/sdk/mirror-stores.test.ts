import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createTempDir } from '#test/support/system/temp-dir.ts'
import { waitUntil } from '#test/support/system/wait-until.ts'
import { MemoryStore, Mirror, type MirrorPage } from '../../sdk/src/changes.ts'
import { FileStore, SqliteStore } from '../../sdk/src/changes-node.ts'
import { Docket } from '../../sdk/src/index.ts'
import type { Change, ChangeType } from '../../sdk/src/types.ts'
import {
  openMirrorStore,
  type ReadableStore,
  startMirror,
  startRecordingProxy,
} from './mirror-program.ts'

const TYPES = ['member', 'project', 'task', 'comment', 'time_entry'] as const

const idsOf = (store: ReadableStore): string[] =>
  TYPES.flatMap((type) => store.list(type).map(({ id }) => id)).toSorted()

/** A change whose record has only the fields that matter here. */
const put = (type: ChangeType, id: string, project_id: string | null, fields = {}): Change =>
  JSON.parse(JSON.stringify({ op: 'put', type, id, project_id, record: { id, ...fields } }))
const page = (
  position: string,
  data: Change[],
  { has_more = false, is_first = false } = {},
): MirrorPage => ({ data, position, has_more, is_first })

/** Opens each kind of store, and again as another process would after the end of the first. */
function openMirrorStores() {
  const folder = createTempDir()
  const memory = new MemoryStore()
  const file = join(folder, 'mirror.json')
  const database = join(folder, 'mirror.db')
  return [
    { name: 'memory', path: '', open: async () => memory },
    { name: 'file', path: file, open: () => FileStore.open(file) },
    { name: 'SQLite', path: database, open: () => SqliteStore.open(database) },
  ]
}

for (const { name, open } of openMirrorStores()) {
  test(`a mirror in ${name} applies put, delete and reset as documented`, async () => {
    let store = await open()
    const entry = (id: string, task_id: string) => put('time_entry', id, 'prj_1', { task_id })
    const first = [
      put('member', 'usr_1', null),
      put('project', 'prj_1', 'prj_1'),
      put('task', 'tsk_1', 'prj_1', { project_id: 'prj_1', title: 'A\u2028B' }),
      put('task', 'tsk_2', 'prj_1'),
      ...[entry('tme_1', 'tsk_1'), entry('tme_2', 'tsk_1'), entry('tme_3', 'tsk_2')],
      put('comment', 'cmt_1', 'prj_2', { task_id: 'tsk_unknown' }),
    ]
    await store.apply(page('1', first, { is_first: true }))
    assert.deepEqual(idsOf(store), [
      'cmt_1',
      'prj_1',
      'tme_1',
      'tme_2',
      'tme_3',
      'tsk_1',
      'tsk_2',
      'usr_1',
    ])
    store = await open()
    assert.deepEqual(store.get('task', 'tsk_1'), {
      id: 'tsk_1',
      project_id: 'prj_1',
      title: 'A\u2028B',
    })
    assert.equal(store.get('comment', 'tsk_1'), undefined)
    // What moved to another task stays when the first one is deleted.
    await store.readPosition()
    await store.apply(page('2', [entry('tme_1', 'tsk_2')]))
    store = await open()
    const remove = (type: ChangeType, id: string): Change => ({ op: 'delete', type, id })
    await store.readPosition()
    await store.apply(page('3', [remove('task', 'tsk_1'), remove('task', 'tsk_never')]))
    assert.deepEqual(idsOf(store), ['cmt_1', 'prj_1', 'tme_1', 'tme_3', 'tsk_2', 'usr_1'])
    await store.apply(page('4', [{ op: 'reset', type: 'project', id: 'prj_2' }]))
    assert.deepEqual(idsOf(store), ['prj_1', 'tme_1', 'tme_3', 'tsk_2', 'usr_1'])
    await store.apply(
      page('5', [{ op: 'reset', type: 'project', id: 'prj_1' }, put('task', 'tsk_3', 'prj_1')]),
    )
    assert.deepEqual(idsOf(store), ['tsk_3', 'usr_1'])
    store = await open()
    assert.deepEqual([idsOf(store), await store.readPosition()], [['tsk_3', 'usr_1'], '5'])
  })
}

for (const { name, open } of openMirrorStores()) {
  test(`readers of a mirror in ${name} see only what was exact at one moment`, async () => {
    const states: string[][] = []
    let store = await open()
    const apply = async (next: MirrorPage) => {
      store.readPosition()
      await store.apply(next)
      // A file has a page once the mirror is exact.
      const opened = await open()
      if (!(store instanceof FileStore) || !next.has_more) store = opened
      assert.equal(store.readPosition(), next.position)
      assert.deepEqual(idsOf(store), idsOf(opened))
      states.push(idsOf(store))
    }
    const more = { has_more: true }
    await apply(page('1', [put('task', 'tsk_1', 'prj_1')], { ...more, is_first: true }))
    await apply(page('2', [put('task', 'tsk_2', 'prj_1')]))
    await apply(page('3', [{ op: 'delete', type: 'task', id: 'tsk_1' }], more))
    await apply(page('4', [put('task', 'tsk_3', 'prj_1')], more))
    // The position has expired, so that it begins again: before it has caught up, and once more.
    await apply(page('5', [put('task', 'tsk_4', 'prj_1')], { ...more, is_first: true }))
    await apply(page('6', [put('task', 'tsk_5', 'prj_1')], { ...more, is_first: true }))
    await apply(page('6', []))
    assert.deepEqual(states, [
      [],
      ...Array.from({ length: 5 }, () => ['tsk_1', 'tsk_2']),
      ['tsk_5'],
    ])
  })
}

test('the type of a change tells the type of its record', () => {
  const changes = [
    put('task', 'tsk_1', 'prj_1', { title: 'Paint' }),
    put('project', 'prj_1', 'prj_1', { name: 'House' }),
  ]
  const names = changes.map((change) => {
    // The compiler refuses `satisfies` where a record has no type of its own.
    if (change.op === 'put' && change.type === 'task') return change.record.title satisfies string
    return change.type === 'project' ? (change.record?.name satisfies string | undefined) : null
  })
  assert.deepEqual(names, ['Paint', 'House'])
})

test('a mirror in a file is private, and refuses files that are none', async () => {
  const path = join(createTempDir(), 'mirror.json')
  const store = await FileStore.open(path)
  await store.apply(page('1', [put('task', 'tsk_1', 'prj_1')], { is_first: true }))
  assert.equal(statSync(path).mode & 0o777, 0o600)
  assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), {
    data: [put('task', 'tsk_1', 'prj_1')],
    position: '1',
    has_more: false,
    is_first: true,
  })
  for (const text of ['', '{"name": "docket"}', '{"data":[', 'null']) {
    writeFileSync(path, text)
    await assert.rejects(FileStore.open(path), /is no mirror\. Name another file\./)
    assert.equal(readFileSync(path, 'utf8'), text)
  }
  await assert.rejects(FileStore.open(createTempDir()), /EISDIR/)
})

test('a mirror in SQLite refuses a second program, and keeps what it had', async () => {
  const path = join(createTempDir(), 'mirror.db')
  const [one, two] = [await SqliteStore.open(path), await SqliteStore.open(path)]
  await one.apply(page('1', [put('task', 'tsk_1', 'prj_1')], { is_first: true }))
  assert.throws(() => two.apply(page('2', [])), /Another program has updated this mirror/)
  assert.deepEqual([two.readPosition(), idsOf(two)], ['1', ['tsk_1']])
  two.apply(page('2', []))
  one.close()
  two.close()
})

test('a mirror stores an empty page if it makes it exact, and none of the others', async (t) => {
  const replies = [page('1', [put('task', 'tsk_1', 'prj_1')], { has_more: true }), page('1', [])]
  const { url, requests } = await startRecordingProxy(t, '', () => ({
    status: 200,
    body: replies.shift() ?? page('1', []),
  }))
  const applied: MirrorPage[] = []
  const store = new (class extends MemoryStore {
    override apply(next: MirrorPage) {
      applied.push(next)
      return super.apply(next)
    }
  })()
  const mirror = new Mirror(new Docket({ baseUrl: url, token: 'dkt_test' }), store)
  // The program ends between the pages.
  for await (const { has_more } of mirror.follow()) if (has_more) break
  assert.deepEqual(idsOf(store), [])
  for await (const { data } of mirror.follow())
    if (data.length === 0 && requests.length === 4) break
  assert.deepEqual(idsOf(store), ['tsk_1'])
  assert.deepEqual(
    applied.map(({ position, has_more, is_first }) => [position, has_more, is_first]),
    [
      ['1', true, true],
      ['1', false, false],
    ],
  )
  assert.deepEqual(
    requests.map(({ query }) => [query.get('after'), query.get('wait')]),
    [
      [null, null],
      ['1', null],
      ['1', '30'],
      ['1', '30'],
    ],
  )
})

const PAGE_SIZE = 100
const PAGES = 10
/** So that storing takes long enough to be interrupted. */
const TEXT = 'x'.repeat(4_000)

for (const name of ['mirror.json', 'mirror.db']) {
  test(`a program that is killed at any moment keeps a whole ${name}, and goes on with it`, async (t) => {
    await killAgainAndAgain(t, join(createTempDir(), name))
  })
}

async function killAgainAndAgain(t: TestContext, path: string): Promise<void> {
  /** Of all records; the feed has them again when it grows. */
  let version = 1
  const { url, requests } = await startRecordingProxy(t, '', ({ query }) => {
    const from = Number(query.get('after') ?? 0)
    const end = version * PAGE_SIZE * PAGES
    const to = Math.min(from + PAGE_SIZE, end)
    const data = Array.from({ length: to - from }, (_, at) => {
      const id = `tsk_${(from + at) % (PAGE_SIZE * PAGES)}`
      return put('task', id, 'prj_1', { version, text: TEXT })
    })
    return { status: 200, body: { data, position: String(to), has_more: to < end } }
  })
  const run = () => startMirror(t, { DOCKET_URL: url, DOCKET_KEY: 'dkt_test' }, path)
  const readVersions = async () => {
    const store = await openMirrorStore(path)
    const position = Number(store.readPosition() ?? 0)
    const versions = Object.entries(Object.groupBy(store.list('task'), (task) => task.version))
    if (store instanceof SqliteStore) store.close()
    return {
      position,
      versions: versions.map(([held, tasks = []]) => [Number(held), tasks.length]),
    }
  }
  const total = PAGE_SIZE * PAGES
  let kept = 0
  for (; version <= 2; version += 1) {
    for (let kill = 0; kill < 2; kill += 1) {
      const { child, ended } = run()
      const until = requests.length + 2 + kill * (PAGES - 3)
      await waitUntil('requests', () => requests.length >= until || child.exitCode !== null)
      await pause(4 * kill)
      child.kill('SIGKILL')
      await ended
      const { position, versions } = await readVersions()
      assert.ok(position >= kept, 'what was stored stays')
      kept = position
      const exact = Math.floor(position / total)
      assert.deepEqual(versions, exact === 0 ? [] : [[exact, total]], 'readers see a whole version')
    }
    const count = requests.length
    assert.deepEqual((await run().ended).code, 0)
    assert.equal(Number(requests[count]?.query.get('after') ?? 0), kept, 'it goes on')
    kept = version * total
    assert.deepEqual(await readVersions(), { position: kept, versions: [[version, total]] })
  }
}
