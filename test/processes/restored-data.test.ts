import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, suite, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { runCliJson } from '../cli/run-cli.ts'
import {
  endServer,
  type ServerProcess,
  seedDataDir,
  startServer as startWith,
} from '../support/server/server-process.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { TEST_SECRET } from '../support/system/test-secret.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { startDeliveryReceiver } from '../support/webhooks/delivering-docket.ts'
import type { TestWorkspace } from '../support/world/test-workspace.ts'

const place = createTempDir()
const started: ServerProcess[] = []
after(() => {
  for (const { child } of started) child.kill('SIGKILL')
})

async function start(dataDir: string, entry?: string): Promise<ServerProcess> {
  const server = await startWith(dataDir, { entry })
  started.push(server)
  return server
}

async function ask(server: ServerProcess, home: TestWorkspace, path: string, body: object) {
  const headers = {
    authorization: `Bearer ${home.keys.owner}`,
    'content-type': 'application/json',
  }
  const url = `http://127.0.0.1:${server.port}/api/v1${path}`
  const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  assert.equal(reply.status, 201, await reply.text())
}

const readSendingMetric = async ({ port }: ServerProcess) => {
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return /^docket_webhook_sending (\d)$/m.exec(metrics)?.[1]
}

const runCommand = (dataDir: string, ...words: string[]) =>
  runCliJson<object>({ DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: TEST_SECRET }, ...words)

/** Creates an installation that has sent one event to a receiver, and has more to send. */
async function createInstallation() {
  const root = mkdtempSync(join(place, 'data-'))
  const dataDir = join(root, 'data')
  const home = await seedDataDir(dataDir)
  const canary = await startDeliveryReceiver()
  const receivedTitles = () => canary.deliveries.map(({ event }) => event.data.title)
  const task = (server: ServerProcess, title: string) =>
    ask(server, home, '/tasks', { project_id: home.project, title })
  const server = await start(dataDir)
  await ask(server, home, '/webhooks', { url: canary.url, events: ['*'] })
  await task(server, 'before')
  await waitUntil('the first event', () => receivedTitles().length === 1)
  return { root, dataDir, canary, receivedTitles, task, server }
}

type SendingInstallation = Awaited<ReturnType<typeof createInstallation>>

/** Returns what a data directory sends before and without `webhook resume`, and resumes it. */
async function startAndResume(
  { canary, receivedTitles, task }: SendingInstallation,
  dataDir: string,
) {
  const before = receivedTitles().length
  const server = await start(dataDir)
  try {
    await task(server, 'after')
    const sending = await readSendingMetric(server)
    assert.deepEqual(await runCommand(dataDir, 'webhook', 'resume', '--yes'), { sending: true })
    const resumed = readResumeTime(dataDir)
    await waitUntil('all that waited', () => receivedTitles().slice(before).includes('after'))
    assert.equal(await readSendingMetric(server), '1')
    const unasked = canary.deliveries.slice(before).filter(({ receivedAt }) => receivedAt < resumed)
    return { unasked: unasked.map(({ event }) => event.data.title), sending }
  } finally {
    await endServer(server, 'SIGTERM')
  }
}

/** Returns when `webhook resume` was committed, in milliseconds since 1970. */
function readResumeTime(dataDir: string): number {
  const db = new DatabaseSync(join(dataDir, 'docket.db'), { readOnly: true })
  const sql = "select max(at) as at from audit_entries where action = 'sending.resumed'"
  const at = Date.parse(String(db.prepare(sql).get()?.at))
  db.close()
  assert.ok(at > 0)
  return at
}

const NOTHING_SENT = { unasked: [], sending: '0' }

function backUp(dataDir: string, to: string): void {
  const db = new DatabaseSync(join(dataDir, 'docket.db'))
  db.prepare('vacuum into ?').run(to)
  db.close()
}

/** Creates an installation with an older backup beside it. */
async function createWithBackup() {
  const made = await createInstallation()
  const backup = join(made.root, 'docket.db')
  backUp(made.dataDir, backup)
  await made.task(made.server, 'since')
  await waitUntil('what the backup lacks', () => made.receivedTitles().includes('since'))
  await endServer(made.server, 'SIGTERM')
  return { ...made, backup, database: join(made.dataDir, 'docket.db') }
}

// The tests run concurrently: each has its own data and mostly waits.
suite('webhooks of data that was moved, copied or restored', { concurrency: 2 }, () => {
  test('a server continues to send after kills and stops', async () => {
    const { dataDir, server, receivedTitles, task } = await createInstallation()
    await endServer(server, 'SIGKILL')
    for (let round = 0; round < 3; round++) {
      const again = await start(dataDir)
      await pause(Math.random() * 60)
      await endServer(again, round % 3 === 2 ? 'SIGTERM' : 'SIGKILL')
    }
    const last = await start(dataDir)
    await task(last, 'after')
    await waitUntil('the event after the kills', () => receivedTitles().includes('after'))
    assert.equal(await readSendingMetric(last), '1')
    await endServer(last, 'SIGTERM')
  })

  test('a copy sends nothing until `webhook resume`, and the original continues', async () => {
    const made = await createInstallation()
    const { dataDir, receivedTitles, task, server } = made
    await endServer(server, 'SIGTERM')
    const copy = join(made.root, 'copy')
    cpSync(dataDir, copy, { recursive: true, preserveTimestamps: true })
    const original = await start(dataDir)
    await task(original, 'original')
    await waitUntil('an event of the original', () => receivedTitles().includes('original'))
    await endServer(original, 'SIGTERM')
    assert.deepEqual(await startAndResume(made, copy), NOTHING_SENT)
  })

  test('a renamed data directory continues to send', async () => {
    const { dataDir, receivedTitles, task, server } = await createInstallation()
    await endServer(server, 'SIGTERM')
    renameSync(dataDir, `${dataDir}-2`)
    const moved = await start(`${dataDir}-2`)
    await task(moved, 'moved')
    await waitUntil('an event of what was moved', () => receivedTitles().includes('moved'))
    await endServer(moved, 'SIGTERM')
  })

  test('an older database sends nothing, whether it was copied or renamed into place', async () => {
    const made = await createWithBackup()
    cpSync(made.backup, made.database)
    assert.deepEqual(await startAndResume(made, made.dataDir), NOTHING_SENT)
    renameSync(made.backup, made.database)
    assert.deepEqual(await startAndResume(made, made.dataDir), NOTHING_SENT)
  })

  test('an older data directory copied over the current one sends nothing', async () => {
    const made = await createInstallation()
    const { dataDir, server, receivedTitles, task } = made
    await endServer(server, 'SIGTERM')
    const saved = join(made.root, 'saved')
    cpSync(dataDir, saved, { recursive: true })
    const again = await start(dataDir)
    await task(again, 'since')
    await waitUntil('what the backup lacks', () => receivedTitles().includes('since'))
    await endServer(again, 'SIGTERM')
    cpSync(saved, dataDir, { recursive: true, preserveTimestamps: true })
    assert.deepEqual(await startAndResume(made, dataDir), NOTHING_SENT)
  })

  test('a backup in an empty directory sends nothing', async () => {
    const made = await createWithBackup()
    const empty = join(made.root, 'restored')
    mkdirSync(empty)
    cpSync(made.backup, join(empty, 'docket.db'))
    assert.deepEqual(await startAndResume(made, empty), NOTHING_SENT)
  })

  test('a new database in the old directory sends at once', async () => {
    const { dataDir, server, canary } = await createInstallation()
    await endServer(server, 'SIGTERM')
    for (const end of ['', '-wal', '-shm'])
      rmSync(join(dataDir, `docket.db${end}`), { force: true })
    const home = await seedDataDir(dataDir)
    const freshServer = await start(dataDir)
    await ask(freshServer, home, '/webhooks', { url: canary.url, events: ['*'] })
    await ask(freshServer, home, '/tasks', { project_id: home.project, title: 'anew' })
    await waitUntil('an event', () =>
      canary.deliveries.some(({ event }) => event.data.title === 'anew'),
    )
    await endServer(freshServer, 'SIGTERM')
  })

  test('`webhook pause` takes effect in a running server and outlasts a restart', async () => {
    const made = await createInstallation()
    const { dataDir, server, receivedTitles, task } = made
    assert.deepEqual(await runCommand(dataDir, 'webhook', 'pause'), { sending: false })
    await waitUntil('the end of the sending', async () => (await readSendingMetric(server)) === '0')
    await task(server, 'while paused')
    // On exit it would have sent everything that it was going to send.
    await endServer(server, 'SIGTERM')
    assert.deepEqual(receivedTitles(), ['before'])
    assert.deepEqual(await startAndResume(made, dataDir), NOTHING_SENT)
    assert.deepEqual(receivedTitles(), ['before', 'while paused', 'after'])
  })

  test('control: a server without the check sends from a restored database', async () => {
    const made = await createWithBackup()
    cpSync(made.backup, made.database)
    const before = made.receivedTitles().length
    const server = await start(made.dataDir, 'test/support/controls/installation-id-ignored.ts')
    await made.task(server, 'after')
    await waitUntil('what it sends unasked', () => made.receivedTitles().length > before)
    await endServer(server, 'SIGTERM')
  })
})
