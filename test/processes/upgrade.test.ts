import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type pg from 'pg'
import { openStore } from '#storage/open.ts'
import { configFrom } from '../../src/config.ts'
import { BALANCED, balanced } from '../experiments/balanced.ts'
import { emptyDir } from '../support/dir.ts'
import { newHome } from '../support/home.ts'
import { openLive } from '../support/live.ts'
import { insertOldTasks } from '../support/old-tasks.ts'
import { end, type Running, SECRET, start } from '../support/process.ts'
import { contentOf } from '../support/saved.ts'
import { sessionOf } from '../support/session.ts'
import { emptyDatabase } from '../support/store.ts'
import { until } from '../support/until.ts'

const preloading = (...names: string[]) => ({
  NODE_OPTIONS: names.map((name) => `--import=${join(import.meta.dirname, name)}`).join(' '),
})
const NEXT = preloading('../support/next-release.ts')
const HEEDLESS = preloading('../support/next-release.ts', '../support/unbounded-locks.ts')
/** As many as take several times to fill. */
const TASKS = 2_500

/** So many writes lie between what happens to the servers. */
const WRITES = 30

/** Two servers of the release before, under load, and a database with something in it. */
async function served(t: TestContext) {
  const { url, admin } = await emptyDatabase()
  const env = { DOCKET_DATABASE_URL: url, DOCKET_LOG_LEVEL: 'warn', ...BALANCED }
  const place = { ...env, DOCKET_DATA_DIR: emptyDir(), DOCKET_SECRET: SECRET }
  const { storage } = await openStore(configFrom(place))
  const home = await newHome(storage)
  const { headers } = await sessionOf(storage, home, 'owner')
  await insertOldTasks(admin, await newHome(storage), TASKS)
  await storage.close()
  const running: Running[] = []
  let load: ReturnType<typeof balanced> | undefined
  t.after(async () => {
    await load?.stop()
    await Promise.all(running.map((server) => end(server, 'SIGKILL')))
  })
  /** Starts a server in the place of another, at its port. */
  async function startAt(at: number, release: Record<string, string> = {}): Promise<Running> {
    const before = running[at]
    const port = before && { port: before.port }
    const server = await start(emptyDir(), { env: { ...env, ...release }, ...port })
    running[at] = server
    return server
  }
  for (const at of [0, 1]) await startAt(at)
  load = balanced(
    running.map(({ port }) => port),
    home,
    8,
  )
  const { acked } = load
  const writes = async () => {
    const before = acked.length
    await until('writes', () => acked.length >= before + WRITES)
  }
  await writes()
  return { admin, place, home, headers, running, startAt, load, writes }
}

/** Somebody reads tasks in a transaction, as a dump does, until what is waited for has happened. */
async function readBesides(admin: pg.Client, happens: () => Promise<void>): Promise<void> {
  await admin.query('begin; lock table tasks in access share mode')
  await happens().finally(() => admin.query('commit'))
}

/** Waits until a migration waits for its lock, or waits no longer. */
async function untilWaits(admin: pg.Client, waits: boolean): Promise<void> {
  const waiting = `select from pg_locks
    where not granted and relation = 'tasks'::regclass and mode = 'AccessExclusiveLock'`
  const isSo = async () => (await admin.query(waiting)).rows.length > 0 === waits
  await until(waits ? 'a migration waits' : 'a migration waits no longer', isSo)
}

test('an upgrade under load fails no request, also while a dump is made, and back, and forth', async (t) => {
  const { admin, place, home, headers, running, startAt, load, writes } = await served(t)
  const [one, other] = running
  assert.ok(one && other)
  assert.equal(await end(one, 'SIGTERM'), 0)
  const reading = readBesides(admin, async () => {
    // It gives way to those who come after it, and comes again.
    for (const waits of [true, false, true]) await untilWaits(admin, waits)
  })
  const next = await startAt(0, NEXT)
  await reading
  assert.match(next.said(), /tries again/)
  const left = await admin.query(
    'select count(*)::int as n from tasks where title = $1 and effort <> 7',
    ['Old'],
  )
  assert.deepEqual(left.rows, [{ n: 0 }])

  // Who looks on at the new release hears of what is written at the one before, or, as long as the two
  // do not hear each other yet, is told to read anew.
  const live = await openLive(next.port, headers)
  const before = live.heard.length
  const reply = await fetch(`http://127.0.0.1:${other.port}/api/v1/tasks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${home.keys.owner}`, 'content-type': 'application/json' },
    body: JSON.stringify({ project_id: home.project, title: 'From the release before' }),
  })
  const { id } = (await reply.json()) as { id: string }
  const heard = () =>
    live.heard.slice(before).some(({ event, notice }) => event === 'reset' || notice.id === id)
  await until(live.text, heard)
  live.close()
  load.acked.push(id)

  // The release before is started again on the new schema, by a crash or to go back.
  assert.equal(await end(other, 'SIGTERM'), 0)
  const back = await startAt(1)
  await writes()
  // Lines gather before they are written.
  await until(back.said, () => /of a newer Docket/.test(back.said()))
  assert.equal(await end(back, 'SIGTERM'), 0)
  await startAt(1, NEXT)
  await writes()
  await load.stop()
  assert.deepEqual([...load.failed], [])
  const { tasks } = await contentOf(place, home)
  assert.deepEqual(tasks, load.acked.toSorted())
  t.diagnostic(`${load.acked.length} writes`)
})

test('a migration that waits for its locks makes requests fail, which is found out', async (t) => {
  const { admin, running, startAt, load } = await served(t)
  assert.ok(running[0])
  await end(running[0], 'SIGTERM')
  const reading = readBesides(admin, async () => {
    await untilWaits(admin, true)
    await until('a request fails', () => load.failed.size > 0)
  })
  await startAt(0, HEEDLESS)
  await reading
  await load.stop()
  assert.notDeepEqual([...load.failed], [])
})
