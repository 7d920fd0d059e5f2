import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { DatabaseEngine } from '#core/transaction.ts'
import { purgeOldTombstones } from '#jobs/purges.ts'
import { findDifferences, type RecordSet, recordKey } from '#test/support/changes/record-copy.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { createTempDir } from '#test/support/system/temp-dir.ts'
import { waitUntil } from '#test/support/system/wait-until.ts'
import { followChanges, MemoryStore, Mirror, type MirrorPage } from '../../sdk/src/changes.ts'
import { FileStore, SqliteStore } from '../../sdk/src/changes-node.ts'
import { Docket, isDocketError } from '../../sdk/src/index.ts'
import type { ChangeType } from '../../sdk/src/types.ts'
import { purgeTrash } from '../changes/app-actions.ts'
import { readAllRecords, selectRecords } from '../changes/expected-records.ts'
import { openHistoryDocket } from '../changes/history-docket.ts'
import {
  createHistoryWorld,
  type DocketWorld,
  type HistoryPerson,
  write,
} from '../changes/history-world.ts'
import { actAtRandom } from '../changes/run-histories.ts'
import { FIRST_ACTIONS } from '../changes/task-actions.ts'
import type { ReadableStore } from './mirror-program.ts'

const TYPES: readonly ChangeType[] = [
  'project',
  'task',
  'comment',
  'time_entry',
  'tag',
  'attachment',
  'member',
]
const PAGE_SIZES = ['1', '2', '7', '500']

/** Starts a server with a workspace in which something has happened. */
async function startWorld(engine: DatabaseEngine, seed: number): Promise<DocketWorld> {
  const world = await createHistoryWorld(await openHistoryDocket(engine), seed)
  for (const action of FIRST_ACTIONS) await action(world, world.people.owner)
  return world
}

const addressOf = ({ docket }: DocketWorld) => `http://127.0.0.1:${docket.port}`

/** The library for one person, which asks for small pages, as if there were much to read. */
function connect(world: DocketWorld, person: HistoryPerson): Docket {
  return new Docket({
    baseUrl: addressOf(world),
    token: person.key,
    fetch: (input, init) => {
      const url = new URL(String(input))
      url.searchParams.set('limit', world.choices.pick(PAGE_SIZES) ?? '')
      return fetch(url, init)
    },
  })
}

/** Lists how a mirror differs from the lists of the API, which do not tell the project of a comment. */
async function compare(world: DocketWorld, person: HistoryPerson, store: ReadableStore) {
  return findDifferences(readStore(store), withoutProjects(await readAllRecords(world, person)))
}

function readStore(store: ReadableStore): RecordSet {
  const records: RecordSet = new Map()
  for (const type of TYPES)
    for (const record of store.list(type))
      records.set(recordKey(type, record.id), {
        type,
        id: record.id,
        project_id: null,
        record: { ...record },
      })
  return records
}

const withoutProjects = (records: RecordSet): RecordSet =>
  new Map([...records].map(([key, held]) => [key, { ...held, project_id: null }]))

for (const engine of ENGINES) {
  test(`mirrors equal the lists of the API after any history (${engine})`, async () => {
    const world = await startWorld(engine, 7)
    const { owner, member, guest } = world.people
    const folder = createTempDir()
    const [file, database] = [join(folder, 'mirror.json'), join(folder, 'mirror.db')]
    const mirrors = [
      { person: member, store: new MemoryStore() },
      { person: owner, store: await FileStore.open(file) },
      { person: guest, store: await SqliteStore.open(database) },
    ]
    const stop = new AbortController()
    const following = mirrors.map(async ({ person, store }) => {
      const mirror = new Mirror(connect(world, person), store)
      try {
        for await (const { has_more } of mirror.follow({ signal: stop.signal })) {
          // Some pages are stored when the next changes are there already.
          if (!has_more) await pause(world.choices.below(40))
        }
      } catch (error) {
        if (error !== stop.signal.reason) throw error
      }
    })
    for (let steps = 0; steps < 150; steps += 1) await actAtRandom(world)
    for (const { person, store } of mirrors) {
      const isExact = async () => (await compare(world, person, store)).length === 0
      await waitUntil(`the mirror of the ${person.role}`, isExact)
    }
    stop.abort(new Error('The test ends'))
    await Promise.all(following)
    assert.ok(world.accepted > 80, `${world.accepted} writes`)
    assert.deepEqual(await compare(world, owner, await FileStore.open(file)), [])
    assert.deepEqual(await compare(world, guest, await SqliteStore.open(database)), [])
  })
}

test('a mirror loses a project with the right to read it, and gets it again', async () => {
  const world = await startWorld('sqlite', 3)
  const { owner, member } = world.people
  const [project = ''] = world.projects
  const store = new MemoryStore()
  const mirror = new Mirror(connect(world, member), store)
  await mirror.sync()
  assert.ok(store.get('project', project) && store.list('comment').length > 0)
  const line = `PATCH /internal/projects/${project}`
  const hidden = await write(world, owner, line, { visibility: 'private' })
  assert.equal(hidden.status, 200)
  const pages: MirrorPage[] = []
  for await (const page of mirror.follow()) {
    pages.push(page)
    if (!page.has_more) break
  }
  const resets = pages.flatMap(({ data }) => data.filter(({ op }) => op !== 'put'))
  assert.deepEqual(
    resets.map(({ op, id }) => [op, id]),
    [['reset', project]],
  )
  assert.equal(store.get('project', project), undefined)
  assert.deepEqual(await compare(world, member, store), [])
  assert.equal((await write(world, owner, line, { visibility: 'workspace' })).status, 200)
  await mirror.sync()
  assert.ok(store.get('project', project))
  assert.deepEqual(await compare(world, member, store), [])
})

test('a mirror whose position has expired begins again, others are told so', async () => {
  const world = await startWorld('sqlite', 5)
  const { owner } = world.people
  const store = new MemoryStore()
  const docket = connect(world, owner)
  const mirror = new Mirror(docket, store)
  await mirror.sync()
  const after = store.readPosition()
  const [{ id } = { id: '' }] = world.tasks
  assert.equal((await write(world, owner, `DELETE /api/v1/tasks/${id}`)).status, 204)
  await purgeTrash(world, owner)
  // What reminds of the purge is kept for as long again.
  await purgeTrash(world, owner)
  const { storage } = world.docket
  for (const step = purgeOldTombstones(storage, 30); await step(); );
  await assert.rejects(followChanges(docket, { after }).next(), (error) =>
    isDocketError(error, 'position_expired'),
  )
  assert.ok(store.get('task', id))
  const pages: MirrorPage[] = []
  for await (const page of mirror.follow()) {
    // Until all records are there, readers see those of before.
    assert.equal(store.get('task', id) !== undefined, page.has_more)
    pages.push(page)
    if (!page.has_more) break
  }
  assert.deepEqual(
    pages.map(({ is_first }) => is_first),
    pages.map((_, at) => at === 0),
  )
  assert.deepEqual(await compare(world, owner, store), [])
})

test('changes of a selection are followed without end', async () => {
  const world = await startWorld('sqlite', 9)
  const { owner } = world.people
  const [project_id = ''] = world.projects
  const selection = { project_id, types: ['project', 'task'] as const }
  const store = new MemoryStore()
  const docket = connect(world, owner)
  await new Mirror(docket, store, selection).sync()
  const expected = selectRecords(await readAllRecords(world, owner), selection)
  assert.deepEqual(findDifferences(readStore(store), withoutProjects(expected)), [])

  const stop = new AbortController()
  const changes = followChanges(docket, { ...selection, after: 'now', signal: stop.signal })
  const first = await changes.next()
  assert.deepEqual([first.value.data, first.value.has_more], [[], false])
  const next = changes.next()
  const { id } = await write(world, owner, 'POST /api/v1/tasks', { title: 'New', project_id })
  const { data } = (await next).value
  assert.ok(data.some((change) => change.id === id || change.id === project_id))
  const last = changes.next().then(() => changes.next())
  stop.abort(new Error('Enough'))
  await assert.rejects(last, /Enough/)

  // A position belongs to its selection.
  const wrong = new Mirror(docket, store)
  await assert.rejects(wrong.sync(), (error) => isDocketError(error, 'invalid_cursor'))
})
