import assert from 'node:assert/strict'
import {
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { conflict, serviceUnavailable } from '#core/api-error.ts'
import { createDiskStore } from '#files/disk.ts'
import { createHttpServer } from '#http/server/server.ts'
import { createApp } from '#server/app.ts'
import { routes } from '#server/routes.ts'
import { callApiForJson } from '../support/api/call-api.ts'
import { openTestDocket, type TestDocket, testLog } from '../support/engines/test-docket.ts'
import { listenOnPort } from '../support/server/raw-exchange.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { TEST_SECRET } from '../support/system/test-secret.ts'
import { createTestWorkspace, type TestWorkspace } from '../support/world/test-workspace.ts'

const BYTES = Buffer.alloc(400_000, 'Hello ')
let docket: TestDocket
let team: TestWorkspace
let uploads: string
let origin: string

before(async () => {
  docket = await openTestDocket('sqlite')
  team = await createTestWorkspace(docket.storage)
  const body = { project_id: team.project, title: 'T' }
  const taskRequest = { method: 'POST', url: '/api/v1/tasks', body }
  const { id } = await callApiForJson(docket.server, team.keys.owner, taskRequest)
  uploads = `/api/v1/tasks/${id}/attachments?filename=a`
  origin = `http://127.0.0.1:${await listenOnPort(docket.server)}`
})

const headers = (more = {}) => ({ authorization: `Bearer ${team.keys.owner}`, ...more })
const directory = () => join(docket.config.dataDir, 'files', team.workspace)
const contentOf = (id: string, more = {}) =>
  fetch(`${origin}/api/v1/attachments/${id}/content`, { headers: headers(more) })

async function attach(more = {}): Promise<string> {
  const sent = { method: 'POST', headers: headers(more), body: BYTES }
  const reply = await fetch(origin + uploads, sent)
  assert.equal(reply.status, 201)
  return ((await reply.json()) as { id: string }).id
}

test('a missing or truncated file gets 503', async () => {
  const [gone, cut, intact] = [await attach(), await attach(), await attach()]
  rmSync(join(directory(), gone))
  truncateSync(join(directory(), cut), 399_999)
  assert.equal((await contentOf(gone)).status, 503)
  assert.equal((await contentOf(cut)).status, 503)
  const whole = await contentOf(intact)
  assert.deepEqual(Buffer.from(await whole.arrayBuffer()), BYTES)
})

test('aborts the download of a corrupted file', async () => {
  const id = await attach()
  const path = join(directory(), id)
  const bytes = readFileSync(path)
  bytes[1_000] = (bytes[1_000] ?? 0) ^ 1
  writeFileSync(path, bytes)
  const reply = await contentOf(id)
  assert.equal(reply.status, 200)
  await assert.rejects(reply.arrayBuffer())
})

test('a retried upload stores one file, and a canceled download closes its file handle', async () => {
  const before = readdirSync(directory()).length
  const key = { 'idempotency-key': 'once' }
  const first = await attach(key)
  assert.equal(await attach(key), first)
  assert.equal(readdirSync(directory()).length, before + 1)
  const open = () => readdirSync('/dev/fd').length
  const openBefore = open()
  for (let times = 0; times < 20; times += 1) {
    const reply = await contentOf(first)
    await reply.body?.cancel()
  }
  for (let tries = 0; open() > openBefore + 10 && tries < 100; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  assert.ok(open() <= openBefore + 10, `${open()} open, ${openBefore} before`)
})

/** Uploads to a server whose operation fails with the error after the file was stored. */
async function attachWithFailure(error: Error): Promise<number> {
  const { appContext } = await createApp(docket.storage, docket.config, TEST_SECRET, testLog)
  appContext.metrics.registry.clear()
  const failing = routes.map((route) =>
    route.kind === 'upload'
      ? {
          ...route,
          load: async () => ({ revision: undefined, operate: () => Promise.reject(error) }),
        }
      : route,
  )
  const server = createHttpServer(appContext, failing)
  const upload = { method: 'POST', url: uploads, headers: headers(), payload: 'Hello' } as const
  return (await server.inject(upload)).statusCode
}

test('a rejected upload leaves no file, unless the outcome of its transaction is unknown', async () => {
  const count = () => readdirSync(directory()).length
  const before = count()
  assert.equal(await attachWithFailure(conflict('limit_reached', 'It is full.')), 409)
  assert.equal(count(), before)
  assert.equal(await attachWithFailure(serviceUnavailable('The outcome is unknown.')), 503)
  assert.equal(count(), before + 1)
})

test('flushes the directory of a new file, and the one in which that directory is new', async () => {
  const root = createTempDir()
  const store = createDiskStore(root)
  const put = async (name: string) => {
    const path = join(root, 'draft')
    writeFileSync(path, 'x')
    return recordFlushes(() => store.put(`wsp_1/${name}`, { path, size: 1 }))
  }
  const directory = join(root, 'wsp_1')
  assert.deepEqual(await put('att_1'), [directory, root])
  assert.deepEqual(await put('att_2'), [directory])
})

/** The paths that are flushed during some work. */
async function recordFlushes(work: () => Promise<unknown>): Promise<string[]> {
  const handle = await open(import.meta.filename)
  const prototype: Pick<FileHandle, 'sync'> = Object.getPrototypeOf(handle)
  await handle.close()
  const { sync } = prototype
  const paths: string[] = []
  prototype.sync = function (this: FileHandle) {
    paths.push(readlinkSync(`/proc/self/fd/${this.fd}`))
    return sync.call(this)
  }
  try {
    await work()
  } finally {
    prototype.sync = sync
  }
  return paths
}
