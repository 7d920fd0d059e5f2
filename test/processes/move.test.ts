import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { answerOf, CLI, docket } from '../cli/run.ts'
import { receiver, until } from '../support/delivering.ts'
import { emptyDir } from '../support/dir.ts'
import { asker, type Furnished, fillStore, furnish, MANY, questions } from '../support/moved.ts'
import { freePort } from '../support/port.ts'
import { end, type Running, SECRET, start } from '../support/process.ts'
import { emptyDatabase } from '../support/store.ts'

interface Moved {
  rows: number
  resumed_after: number
  tables: { table: string; rows: number; digest: string }[]
}

const place = emptyDir()
const started: Running[] = []
after(() => {
  for (const { child } of started) child.kill('SIGKILL')
})

const port = await freePort()
const baseUrl = `http://127.0.0.1:${port}`
const dataDir = join(place, 'data')
const { home, session } = await fillStore(dataDir, baseUrl)
const hook = await receiver()
const ask = asker(port, home)
const onSqlite = (dir: string) => ({ DOCKET_DATA_DIR: dir, DOCKET_SECRET: SECRET })

async function serving<T>(env: Record<string, string>, work: () => Promise<T>): Promise<T> {
  const server = await start(env.DOCKET_DATA_DIR ?? '', { env, port })
  started.push(server)
  try {
    return await work()
  } finally {
    assert.equal(await end(server, 'SIGTERM'), 0)
  }
}

/** What is answered to everything that can be asked, and pages that are yet to be asked for. */
async function answers(furnished: Furnished): Promise<Map<string, string>> {
  const { api, internal } = questions(home, furnished)
  const cookie = session.headers
  const found = new Map<string, string>()
  for (const path of api) found.set(path, untimed((await ask('GET', path)).text))
  for (const path of internal) {
    const reply = await fetch(`${baseUrl}${path}`, { headers: cookie })
    assert.equal(reply.status, 200, path)
    // What only the web app reads is the same, but each engine sets its spaces.
    found.set(path, untimed(JSON.stringify(await reply.json())))
  }
  return found
}

/** Asking is being active; and where one is among the notices a process says of itself. */
const untimed = (text: string) =>
  text.replace(/"(last_active_at|last_used_at|notice)":"[^"]*"/g, '"$1":""')

const sending = async () => {
  const metrics = await (await fetch(`${baseUrl}/metrics`)).text()
  return /^docket_webhook_sending (\d)$/m.exec(metrics)?.[1]
}

const lists = [
  `/api/v1/projects/${home.project}/tasks?limit=7`,
  '/api/v1/tasks?limit=3&sort=priority',
  '/api/v1/tasks?limit=5&q=of',
]
async function cursors(): Promise<string[]> {
  const pages = await Promise.all(lists.map((path) => ask('GET', path)))
  return pages.map(({ text }, at) => `${lists[at]}&cursor=${JSON.parse(text).next_cursor}`)
}
const pagesAt = (paths: readonly string[]) => Promise.all(paths.map((path) => ask('GET', path)))

const json = (text: string) => JSON.parse(text)
const lastEvent = async () => {
  const { text } = await ask('GET', '/api/v1/events?after_sequence=0&limit=1')
  const { text: me } = await ask(
    'GET',
    `/api/v1/events?type=task.created&limit=200&after_sequence=${MANY}`,
  )
  return { first: json(text).data[0], last: json(me).data.at(-1) }
}

const furnished = await serving(onSqlite(dataDir), async () => {
  const made = await furnish(ask, home, hook.url)
  await until('deliveries', () => hook.got.length > 9)
  return made
})

test('what was moved answers as before, goes on where it was, and comes back', async () => {
  const before = await serving(onSqlite(dataDir), async () => {
    const next = await cursors()
    return {
      answers: await answers(furnished),
      next,
      pages: await pagesAt(next),
      last: await lastEvent(),
    }
  })
  const { url } = await emptyDatabase()
  const moved = await answerOf<Moved>(onSqlite(dataDir), 'migrate-to', url)
  const onPostgres = { ...onSqlite(dataDir), DOCKET_DATABASE_URL: url }
  const heard = hook.got.length
  const there = await serving(onPostgres, async () => {
    assert.deepEqual(await answers(furnished), before.answers)
    assert.deepEqual(await pagesAt(before.next), before.pages)
    const { keyed, once: first } = furnished
    const again = await ask('POST', '/api/v1/tasks', keyed.body, { 'idempotency-key': keyed.key })
    assert.deepEqual(again, first)
    const { status, text } = await ask('POST', '/api/v1/tasks', {
      ...{ project_id: home.project, title: 'The first after it' },
    })
    assert.equal(status, 201)
    const { data: of } = before.last.last
    assert.equal(json(text).number, of.number + 1)
    assert.equal((await lastEvent()).last.sequence, before.last.last.sequence + 1)
    assert.deepEqual([await sending(), hook.got.length], ['0', heard], 'nothing is sent')
    assert.deepEqual(await answerOf<object>(onPostgres, 'webhook', 'resume'), { sending: true })
    await until('the event', () => hook.got.length > heard)
    assert.equal(await sending(), '1')
    return { answers: await answers(furnished) }
  })
  const got = hook.got.map(({ event }) => event.id)
  assert.equal(new Set(got).size, got.length, 'nothing is sent twice')
  const last = hook.got.at(-1)
  const signed = new Webhook(furnished.webhook.secret ?? '')
  signed.verify(last?.text ?? '', (last?.headers ?? {}) as Record<string, string>)

  const back = join(place, 'back')
  const returned = await answerOf<Moved>(onPostgres, 'migrate-to', `sqlite:${back}`)
  assert.ok(returned.rows > moved.rows)
  cpSync(join(dataDir, 'files'), join(back, 'files'), { recursive: true })
  await serving(onSqlite(back), async () => {
    assert.deepEqual(await answers(furnished), there.answers)
    const task = await ask('POST', '/api/v1/tasks', {
      project_id: home.project,
      title: 'Last zeppelin',
    })
    assert.equal(task.status, 201)
    const { text } = await ask('GET', '/api/v1/tasks?q=zeppelin')
    assert.equal(json(text).data.length, 1)
  })
})

const run = (env: Record<string, string>, target: string) =>
  docket({ ...env, DOCKET_MOVE_TO: target }, 'migrate-to', '--json')

const refusalOf = async (env: Record<string, string>, target: string) => {
  const { code, stderr } = await run(env, target)
  assert.equal(code, 1, stderr)
  assert.doesNotMatch(stderr, /:password@/)
  return json(stderr).error as { code: string; message: string }
}

/** Begins a move, or goes on with one, and kills it when so many ranges are there, or things made. */
async function kill(env: Record<string, string>, target: string, isTime: () => Promise<boolean>) {
  const child = spawn(process.execPath, [CLI, 'migrate-to', target], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(child, 'exit')
  await until('the time to kill', isTime)
  child.kill('SIGKILL')
  await ended
  assert.equal(child.signalCode, 'SIGKILL', 'it was in the middle')
}

test('killed again and again it goes on, and every difference is found', async () => {
  const { url, admin } = await emptyDatabase()
  const env = onSqlite(dataDir)
  const noted = async (kind: string) => {
    const sql =
      'select count(*)::int as n from unfinished_move where note like \'%"kind":"\' || $1 || \'"%\''
    const { rows } = await admin.query(sql, [kind]).catch(() => ({ rows: [{ n: -1 }] }))
    return Number(rows[0].n)
  }
  for (const ranges of [2, 12, 30])
    await kill(env, url, async () => (await noted('range')) >= ranges)
  const later = await noted('later')
  await kill(env, url, async () => (await noted('later')) < later - 3)

  const served = start(dataDir, { env: { ...env, DOCKET_DATABASE_URL: url }, port })
  served.then(
    (server) => started.push(server),
    () => {},
  )
  await assert.rejects(served, /docket migrate-to.*run the same command again/)

  const source = new DatabaseSync(join(dataDir, 'docket.db'))
  const paint = source.prepare('update tags set color = ? where id = ?')
  const { id = '', color = '' } = furnished.tag
  paint.run('#abcdef', id)
  assert.equal((await refusalOf(env, url)).code, 'source_changed')
  paint.run(color, id)

  const { task } = furnished
  const differences: [wrong: string, right: string, told: RegExp][] = [
    [
      `update tasks set title = title || '!' where id = '${task}'`,
      `update tasks set title = rtrim(title, '!') where id = '${task}'`,
      new RegExp(`^tasks: the row ${home.workspace} ${task} is not the same in the target`),
    ],
    [
      'create temp table kept as select * from time_entries where id = (select max(id) from time_entries); delete from time_entries where id = (select id from kept)',
      'insert into time_entries select * from kept; drop table kept',
      /^time_entries: the row wsp_\w+ \w+ is missing in the target/,
    ],
    [
      "insert into attempts values ('nobody', '', '', '')",
      "delete from attempts where subject = 'nobody'",
      /^attempts: the row nobody is in the target alone/,
    ],
    [
      'create temp table kept as select * from task_words limit 1; delete from task_words where task_id in (select task_id from kept)',
      'insert into task_words select * from kept; drop table kept',
      /^task_words has \d+ rows on PostgreSQL/,
    ],
  ]
  for (const [wrong, right, told] of differences) {
    await admin.query(wrong)
    const { code, message } = await refusalOf(env, url)
    assert.equal(code, 'move_differs')
    assert.match(message, told)
    await admin.query(right)
  }

  const whole = await answerOf<Moved>(env, 'migrate-to', url)
  assert.ok(whole.resumed_after > MANY)
  assert.equal((await refusalOf(env, url)).code, 'store_not_empty')
  const onPostgres = { ...env, DOCKET_DATABASE_URL: url }
  const back = `sqlite:${join(place, 'killed-back')}`
  const returned = await answerOf<Moved>(onPostgres, 'migrate-to', back)
  // What says from where it is sent is another, and nothing else is.
  const rowsOf = ({ tables }: Moved) => tables.filter(({ table }) => table !== 'installation')
  assert.deepEqual(rowsOf(returned), rowsOf(whole))
  assert.equal((await refusalOf(onPostgres, back)).code, 'store_not_empty')
  source.close()
})

test('what cannot be moved is refused, and nothing is changed', async () => {
  const { url, admin } = await emptyDatabase()
  const env = onSqlite(dataDir)
  const server = await start(dataDir, { env, port })
  started.push(server)
  assert.equal((await refusalOf(env, url)).code, 'store_in_use')
  await end(server, 'SIGTERM')
  assert.equal((await refusalOf(env, `sqlite:${place}`)).code, 'validation_failed')
  assert.equal((await refusalOf(env, 'mysql://host')).code, 'validation_failed')
  assert.equal((await refusalOf(onSqlite(emptyDir()), url)).code, 'nothing_to_move')
  const onPostgres = { ...env, DOCKET_DATABASE_URL: url }
  const empty = `sqlite:${join(place, 'empty')}`
  assert.equal((await refusalOf(onPostgres, empty)).code, 'nothing_to_move')
  assert.equal((await refusalOf(onPostgres, url)).code, 'validation_failed')
  const { rows } = await admin.query(
    "select count(*)::int as n from pg_class where relname = 'tasks'",
  )
  assert.equal(rows[0].n, 0)

  await kill(env, url, async () => {
    const found = await admin.query("select to_regclass('unfinished_move') is not null as is")
    return found.rows[0].is
  })
  const other = join(place, 'other')
  await fillStore(other, baseUrl, 0)
  assert.equal((await refusalOf(onSqlite(other), url)).code, 'other_move')
})
