import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, suite, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { answerOf } from '../cli/run.ts'
import { receiver } from '../support/delivering.ts'
import { emptyDir } from '../support/dir.ts'
import type { Home } from '../support/home.ts'
import { end, type Running, SECRET, settle, start as startWith } from '../support/process.ts'
import { until } from '../support/until.ts'

const place = emptyDir()
const started: Running[] = []
after(() => {
  for (const { child } of started) child.kill('SIGKILL')
})

async function start(dataDir: string, entry?: string): Promise<Running> {
  const server = await startWith(dataDir, { entry })
  started.push(server)
  return server
}

async function ask(server: Running, home: Home, path: string, body: object) {
  const headers = {
    authorization: `Bearer ${home.keys.owner}`,
    'content-type': 'application/json',
  }
  const url = `http://127.0.0.1:${server.port}/api/v1${path}`
  const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  assert.equal(reply.status, 201, await reply.text())
}

const sendingOf = async ({ port }: Running) => {
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return /^docket_webhook_sending (\d)$/m.exec(metrics)?.[1]
}

const cli = (dataDir: string, ...words: string[]) =>
  answerOf<object>({ DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: SECRET }, ...words)

/** Data of a Docket that has sent one event to a canary, and will send more to it. */
async function sent() {
  const root = mkdtempSync(join(place, 'data-'))
  const dataDir = join(root, 'data')
  const home = await settle(dataDir)
  const canary = await receiver()
  const heard = () => canary.got.map(({ event }) => event.data.title)
  const task = (server: Running, title: string) =>
    ask(server, home, '/tasks', { project_id: home.project, title })
  const server = await start(dataDir)
  await ask(server, home, '/webhooks', { url: canary.url, events: ['*'] })
  await task(server, 'before')
  await until('the first event', () => heard().length === 1)
  return { root, dataDir, canary, heard, task, server }
}

type Sent = Awaited<ReturnType<typeof sent>>

/** What data sends on its own after a start, before the command, which takes its time; and then all of it. */
async function heardOf({ canary, heard, task }: Sent, dataDir: string) {
  const before = heard().length
  const server = await start(dataDir)
  try {
    await task(server, 'after')
    const sending = await sendingOf(server)
    assert.deepEqual(await cli(dataDir, 'webhook', 'resume'), { sending: true })
    const resumed = resumedAt(dataDir)
    await until('all that waited', () => heard().slice(before).includes('after'))
    assert.equal(await sendingOf(server), '1')
    const unasked = canary.got.slice(before).filter(({ date }) => date < resumed)
    return { unasked: unasked.map(({ event }) => event.data.title), sending }
  } finally {
    await end(server, 'SIGTERM')
  }
}

/** When the command has committed that it is sent from here: milliseconds since 1970. */
function resumedAt(dataDir: string): number {
  const db = new DatabaseSync(join(dataDir, 'docket.db'), { readOnly: true })
  const sql = "select max(at) as at from audit_entries where action = 'sending.resumed'"
  const at = Date.parse(String(db.prepare(sql).get()?.at))
  db.close()
  assert.ok(at > 0)
  return at
}

const QUIET = { unasked: [], sending: '0' }

function backUp(dataDir: string, to: string): void {
  const db = new DatabaseSync(join(dataDir, 'docket.db'))
  db.prepare('vacuum into ?').run(to)
  db.close()
}

/** Data with a backup of an earlier time beside it. */
async function backedUp() {
  const made = await sent()
  const backup = join(made.root, 'docket.db')
  backUp(made.dataDir, backup)
  await made.task(made.server, 'since')
  await until('what the backup lacks', () => made.heard().includes('since'))
  await end(made.server, 'SIGTERM')
  return { ...made, backup, database: join(made.dataDir, 'docket.db') }
}

// Beside each other: each has data of its own, and waits for most of the time.
suite('data that was moved, copied or restored', { concurrency: 2 }, () => {
  test('however often it is killed or stopped, it goes on sending', async () => {
    const { dataDir, server, heard, task } = await sent()
    await end(server, 'SIGKILL')
    for (let round = 0; round < 3; round++) {
      const again = await start(dataDir)
      await pause(Math.random() * 60)
      await end(again, round % 3 === 2 ? 'SIGTERM' : 'SIGKILL')
    }
    const last = await start(dataDir)
    await task(last, 'after')
    await until('the event after the kills', () => heard().includes('after'))
    assert.equal(await sendingOf(last), '1')
    await end(last, 'SIGTERM')
  })

  test('a copy sends nothing until it is told to, and its original goes on', async () => {
    const made = await sent()
    const { dataDir, heard, task, server } = made
    await end(server, 'SIGTERM')
    const copy = join(made.root, 'copy')
    cpSync(dataDir, copy, { recursive: true, preserveTimestamps: true })
    const original = await start(dataDir)
    await task(original, 'original')
    await until('an event of the original', () => heard().includes('original'))
    await end(original, 'SIGTERM')
    assert.deepEqual(await heardOf(made, copy), QUIET)
  })

  test('data that was moved by its name is at home', async () => {
    const { dataDir, heard, task, server } = await sent()
    await end(server, 'SIGTERM')
    renameSync(dataDir, `${dataDir}-2`)
    const moved = await start(`${dataDir}-2`)
    await task(moved, 'moved')
    await until('an event of what was moved', () => heard().includes('moved'))
    await end(moved, 'SIGTERM')
  })

  test('an older database sends nothing, whichever way it came into its place', async () => {
    const made = await backedUp()
    cpSync(made.backup, made.database)
    assert.deepEqual(await heardOf(made, made.dataDir), QUIET)
    renameSync(made.backup, made.database)
    assert.deepEqual(await heardOf(made, made.dataDir), QUIET)
  })

  test('a whole older directory, put over the present one, sends nothing', async () => {
    const made = await sent()
    const { dataDir, server, heard, task } = made
    await end(server, 'SIGTERM')
    const saved = join(made.root, 'saved')
    cpSync(dataDir, saved, { recursive: true })
    const again = await start(dataDir)
    await task(again, 'since')
    await until('what the backup lacks', () => heard().includes('since'))
    await end(again, 'SIGTERM')
    cpSync(saved, dataDir, { recursive: true, preserveTimestamps: true })
    assert.deepEqual(await heardOf(made, dataDir), QUIET)
  })

  test('a backup in an empty folder sends nothing', async () => {
    const made = await backedUp()
    const empty = join(made.root, 'restored')
    mkdirSync(empty)
    cpSync(made.backup, join(empty, 'docket.db'))
    assert.deepEqual(await heardOf(made, empty), QUIET)
  })

  test('data that begins anew in its old place sends at once', async () => {
    const { dataDir, server, canary } = await sent()
    await end(server, 'SIGTERM')
    for (const end of ['', '-wal', '-shm'])
      rmSync(join(dataDir, `docket.db${end}`), { force: true })
    const home = await settle(dataDir)
    const anew = await start(dataDir)
    await ask(anew, home, '/webhooks', { url: canary.url, events: ['*'] })
    await ask(anew, home, '/tasks', { project_id: home.project, title: 'anew' })
    await until('an event', () => canary.got.some(({ event }) => event.data.title === 'anew'))
    await end(anew, 'SIGTERM')
  })

  test('a pause takes effect beside a running server, and outlasts a start', async () => {
    const made = await sent()
    const { dataDir, server, heard, task } = made
    assert.deepEqual(await cli(dataDir, 'webhook', 'pause'), { sending: false })
    await until('the end of the sending', async () => (await sendingOf(server)) === '0')
    await task(server, 'while paused')
    // By its end all that it would send has been sent.
    await end(server, 'SIGTERM')
    assert.deepEqual(heard(), ['before'])
    assert.deepEqual(await heardOf(made, dataDir), QUIET)
    assert.deepEqual(heard(), ['before', 'while paused', 'after'])
  })

  test('a server that does not ask where it is would be found out', async () => {
    const made = await backedUp()
    cpSync(made.backup, made.database)
    const before = made.heard().length
    const server = await start(made.dataDir, 'test/support/homeless.ts')
    await made.task(server, 'after')
    await until('what it sends unasked', () => made.heard().length > before)
    await end(server, 'SIGTERM')
  })
})
