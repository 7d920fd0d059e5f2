import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { runHostedCliJson } from '../cli/run-hosted-cli.ts'
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

/**
 * One installation, which each test finds stopped and sending, and leaves so: starting a server is
 * what these tests cost. src/webhooks/dispatch/installation-id.test.ts has every way to copy or restore data.
 */
const root = createTempDir()
const dataDir = join(root, 'data')
let team: TestWorkspace
let canary: Awaited<ReturnType<typeof startDeliveryReceiver>>
const started: ServerProcess[] = []
after(() => {
  for (const { child } of started) child.kill('SIGKILL')
})

async function start(dataDir: string): Promise<ServerProcess> {
  const server = await startWith(dataDir)
  started.push(server)
  return server
}

async function ask(server: ServerProcess, path: string, body: object) {
  const headers = {
    authorization: `Bearer ${team.keys.owner}`,
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

const runCommand = (place: string, ...words: string[]) =>
  runHostedCliJson<object>({ DOCKET_DATA_DIR: place, DOCKET_SECRET: TEST_SECRET }, ...words)

const receivedTitles = () => canary.deliveries.map(({ event }) => event.data.title)
const untilReceived = (title: string) =>
  waitUntil(`the event of ${title}`, () => receivedTitles().includes(title))
const createTask = (server: ServerProcess, title: string) =>
  ask(server, '/tasks', { project_id: team.project, title })

before(async () => {
  team = await seedDataDir(dataDir)
  canary = await startDeliveryReceiver()
  const server = await start(dataDir)
  await ask(server, '/webhooks', { url: canary.url, events: ['*'] })
  await createTask(server, 'first')
  await untilReceived('first')
  await endServer(server, 'SIGTERM')
})

/** Starts the installation, sends an event and ends it. */
async function startAndSend(title: string): Promise<void> {
  const server = await start(dataDir)
  await createTask(server, title)
  await untilReceived(title)
  await endServer(server, 'SIGTERM')
}

/** Returns what a data directory sends before and without `webhook resume`, and resumes it. */
async function startAndResume(place: string) {
  const before = receivedTitles().length
  const server = await start(place)
  try {
    await createTask(server, 'after')
    const sending = await readSendingMetric(server)
    assert.deepEqual(await runCommand(place, 'webhook', 'resume', '--yes'), { sending: true })
    const resumed = readResumeTime(place)
    await waitUntil('all that waited', () => receivedTitles().slice(before).includes('after'))
    assert.equal(await readSendingMetric(server), '1')
    const unasked = canary.deliveries.slice(before).filter(({ receivedAt }) => receivedAt < resumed)
    return { unasked: unasked.map(({ event }) => event.data.title), sending }
  } finally {
    await endServer(server, 'SIGTERM')
  }
}

/** Returns when `webhook resume` was committed, in milliseconds since 1970. */
function readResumeTime(place: string): number {
  const db = new DatabaseSync(join(place, 'docket.db'), { readOnly: true })
  const sql = "select max(at) as at from audit_entries where action = 'sending.resumed'"
  const at = Date.parse(String(db.prepare(sql).get()?.at))
  db.close()
  assert.ok(at > 0)
  return at
}

const NOTHING_SENT = { unasked: [], sending: '0' }

test('a copy sends nothing until `webhook resume`, and the original continues', async () => {
  const copy = join(root, 'copy')
  cpSync(dataDir, copy, { recursive: true, preserveTimestamps: true })
  await startAndSend('original')
  assert.deepEqual(await startAndResume(copy), NOTHING_SENT)
})

test('`webhook pause` takes effect in a running server and outlasts a restart', async () => {
  const server = await start(dataDir)
  const before = receivedTitles().length
  assert.deepEqual(await runCommand(dataDir, 'webhook', 'pause'), { sending: false })
  await waitUntil('the end of the sending', async () => (await readSendingMetric(server)) === '0')
  await createTask(server, 'while paused')
  // On exit it would have sent everything that it was going to send.
  await endServer(server, 'SIGTERM')
  assert.deepEqual(receivedTitles().slice(before), [])
  assert.deepEqual(await startAndResume(dataDir), NOTHING_SENT)
  assert.deepEqual(receivedTitles().slice(before), ['while paused', 'after'])
})

test('an older data directory copied over the current one sends nothing', async () => {
  const saved = join(root, 'saved')
  cpSync(dataDir, saved, { recursive: true })
  await startAndSend('since it was saved')
  cpSync(saved, dataDir, { recursive: true, preserveTimestamps: true })
  assert.deepEqual(await startAndResume(dataDir), NOTHING_SENT)
})
