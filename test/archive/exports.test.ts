import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync, writeFileSync } from 'node:fs'
import type { OutgoingHttpHeaders } from 'node:http'
import { test } from 'node:test'
import { endExportsOfDeletedWorkspaces, purgeExports } from '#archive/export/export-jobs.ts'
import { clearAttempts, countAttempts, listActionLimits } from '#auth/sign-in/attempt-limits.ts'
import { softDeleteWorkspace, undeleteWorkspace } from '#auth/workspaces/workspaces.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { WriteTx } from '#core/transaction.ts'
import { openFiles } from '#files/open.ts'
import { deletePendingFiles } from '#jobs/purges.ts'
import type { AuditEntry } from '#resources/audit/internal.ts'
import { type Export, getExportContent } from '#resources/exports/internal.ts'
import { openFreshDocket } from '../support/engines/fresh-docket.ts'
import { ENGINES } from '../support/engines/test-docket.ts'
import { createTestClock } from '../support/system/test-clock.ts'
import {
  createCookieClient,
  describeReply,
  newClientAddress,
} from '../support/world/cookie-client.ts'
import { runExportJobs } from '../support/world/run-export-jobs.ts'
import { setTestPassword, TEST_PASSWORD } from '../support/world/test-password.ts'
import { createTestSession } from '../support/world/test-session.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'
import { exportArchive, newArchivePath, readArchiveFiles } from './archive-files.ts'
import { createFilledWorkspace } from './filled-workspace.ts'

const hashIn = ({ etag }: OutgoingHttpHeaders) => String(etag).replaceAll('"', '')
const DAY_MS = 24 * 60 * 60 * 1000

for (const engine of ENGINES) {
  test(`an owner exports a workspace by download (${engine})`, async () => {
    const clock = createTestClock()
    // A separate database, because upkeep with this clock would purge data of other tests.
    const served = await openFreshDocket(engine, {}, { clock })
    const { storage, server, config } = served
    const team = await createFilledWorkspace(served)
    const files = openFiles(config)
    const remoteAddress = newClientAddress()
    const ask = async (
      method: 'GET' | 'POST',
      url: string,
      role: 'owner' | 'admin' = 'owner',
      more: Record<string, string> = {},
    ) => {
      const { headers } = await createTestSession(storage, team, role, config.baseUrl)
      return server.inject({ method, url, headers: { ...headers, ...more }, remoteAddress })
    }
    const made = await ask('POST', '/internal/exports')
    assert.equal(made.statusCode, 201, made.body)
    const { id } = made.json() as Export
    assert.equal((await ask('POST', '/internal/exports')).statusCode, 409)
    const content = `/internal/exports/${id}/content`
    assert.equal((await ask('GET', content)).statusCode, 404)

    // Two processes compete for the job, and only one makes the archive.
    await Promise.all([runExportJobs(storage, files), runExportJobs(storage, files)])
    const [ready] = ((await ask('GET', '/internal/exports')).json() as { data: Export[] }).data
    assert.deepEqual([ready?.status, ready?.error], ['ready', null])
    const reply = await ask('GET', content)
    assert.equal(reply.statusCode, 200)
    assert.match(String(reply.headers['content-disposition']), /\.docket\.tar$/)
    assert.equal(reply.rawPayload.length, ready?.size_bytes)
    assert.equal(createHash('sha256').update(reply.rawPayload).digest('hex'), hashIn(reply.headers))

    // The audit log records each download of bytes, and nothing else.
    const entries = async (action: AuditEntry['action']) => {
      const auditReply = await ask('GET', `/internal/audit?action=${action}`)
      const { data } = auditReply.json() as { data: AuditEntry[] }
      return data.map(({ actor_id, subject_id }) => [actor_id, subject_id])
    }
    assert.deepEqual(await entries('workspace.exported'), [[null, team.workspace]])
    const downloads = () => entries('export.downloaded')
    const download = [team.people.owner, id]
    assert.deepEqual(await downloads(), [download])
    const part = await ask('GET', content, 'owner', { range: 'bytes=512-1023' })
    assert.deepEqual([part.statusCode, part.rawPayload.length], [206, 512])
    assert.deepEqual(await downloads(), [download, download])
    const same = { 'if-none-match': String(reply.headers.etag) }
    assert.equal((await ask('GET', content, 'owner', same)).statusCode, 304)

    // The address alone gives no access.
    assert.equal((await server.inject({ url: content, remoteAddress })).statusCode, 401)
    assert.equal((await ask('GET', content, 'admin')).statusCode, 403)
    assert.equal((await downloads()).length, 2)
    const sender = {
      address: remoteAddress,
      actor: { user_id: team.people.owner, workspace_id: team.workspace, plan: 'paid' },
    } as const
    const [limit] = listActionLimits(getExportContent, sender)
    assert.ok(limit)
    const write = (work: (tx: WriteTx) => Promise<unknown>) => storage.write(ANONYMOUS_ACTOR, work)
    await write((tx) => countAttempts(tx, [limit], limit.maxAttempts))
    assert.equal((await ask('GET', content)).statusCode, 429)
    await write((tx) => clearAttempts(tx, limit))
    assert.equal((await downloads()).length, 2)

    const archive = newArchivePath()
    writeFileSync(archive, reply.rawPayload)
    const again = await exportArchive(served, team.workspace)
    const names = (path: string) => readArchiveFiles(path).then((content) => [...content.keys()])
    assert.deepEqual(await names(archive), await names(again.archive))

    clock.advance(DAY_MS + 1_000)
    assert.equal((await ask('GET', content)).statusCode, 404)
    await purgeExports(storage)
    while (await deletePendingFiles(storage, files)());
    const remaining: string[] = []
    for await (const { key } of files.list())
      if (key.startsWith(team.workspace)) remaining.push(key)
    const [expired] = ((await ask('GET', '/internal/exports')).json() as { data: Export[] }).data
    assert.equal(expired?.status, 'expired')
    assert.equal(
      remaining.length,
      (await exportArchive(served, team.workspace)).manifest.files.count,
    )
  })
}

const HOUR_MS = 60 * 60 * 1000
const EXPORTS = '/internal/exports'

const setUp = async () => {
  const clock = createTestClock()
  const { storage, server, config } = await openFreshDocket('sqlite', {}, { clock })
  const team = await createTestWorkspace(storage)
  const email = await setTestPassword(storage, team, 'owner')
  const owner = createCookieClient(server)
  await owner.send('POST /internal/session', { email, password: TEST_PASSWORD })
  const files = openFiles(config)
  const start = async () => {
    const confirmation = { current_password: TEST_PASSWORD }
    await owner.send('POST /internal/session/confirmation', confirmation)
    return describeReply(await owner.send(`POST ${EXPORTS}`))
  }
  const run = (maxBytes?: number) => runExportJobs(storage, files, maxBytes)
  const list = async () => {
    const { body } = await owner.send(`GET ${EXPORTS}`)
    return body.data as Export[]
  }
  return { clock, storage, start, run, list }
}

test('limits the number of exports within 24 hours', async () => {
  const { clock, start, run } = await setUp()
  for (let n = 0; n < 10; n++) {
    assert.equal(await start(), '201')
    assert.equal(await start(), '409 export_under_way')
    await run()
    clock.advance(HOUR_MS)
  }
  assert.equal(await start(), '409 limit_reached')
  clock.advance(14 * HOUR_MS)
  assert.equal(await start(), '201')
})

test('limits the bytes of all archives, and expires the oldest', async () => {
  const { start, run, list } = await setUp()
  await start()
  await run()
  const size = (await list())[0]?.size_bytes ?? assert.fail()
  for (let n = 0; n < 2; n++) {
    await start()
    await run(size * 2.5)
  }
  assert.deepEqual(
    (await list()).map(({ status }) => status),
    ['ready', 'ready', 'expired'],
  )
  await start()
  await run(size / 2)
  const [tooLarge] = await list()
  assert.equal(tooLarge?.status, 'failed')
  assert.match(tooLarge?.error ?? '', /^The archive has \d+ bytes/)
})

for (const engine of ENGINES) {
  test(`deleting a workspace removes its archives and stops its exports (${engine})`, async () => {
    const { storage, server, config } = await openFreshDocket(engine)
    const team = await createTestWorkspace(storage)
    const files = openFiles(config)
    const owner = { ...ANONYMOUS_ACTOR, workspace_id: team.workspace, role: 'owner' as const }
    const remove = () => storage.write(owner, softDeleteWorkspace)
    const restore = () => storage.write(owner, undeleteWorkspace)
    const { headers } = await createTestSession(storage, team, 'owner', config.baseUrl)
    const ask = async (method: 'GET' | 'POST') => {
      const exportRequest = {
        method,
        url: '/internal/exports',
        headers,
        remoteAddress: newClientAddress(),
      }
      return server.inject(exportRequest)
    }
    const latest = async () => ((await ask('GET')).json() as { data: Export[] }).data[0]
    const remainingFiles = async () => {
      while (await deletePendingFiles(storage, files)());
      const keys: string[] = []
      for await (const { key } of files.list()) if (key.startsWith(team.workspace)) keys.push(key)
      return keys
    }

    await ask('POST')
    assert.equal(await runExportJobs(storage, files), 1)
    assert.equal((await latest())?.status, 'ready')
    assert.equal((await remainingFiles()).length, 1)
    await remove()
    await endExportsOfDeletedWorkspaces(storage)
    assert.deepEqual(await remainingFiles(), [])
    await restore()
    assert.equal((await latest())?.status, 'expired')

    // The workspace is deleted after the archive is written and before it is offered.
    await ask('POST')
    const deletingFiles: typeof files = Object.create(files, {
      put: {
        value: async (...put: Parameters<typeof files.put>) => {
          await remove()
          return files.put(...put)
        },
      },
    })
    assert.equal(await runExportJobs(storage, deletingFiles), 1)
    assert.deepEqual(await remainingFiles(), [])
    assert.equal(await runExportJobs(storage, files), 0)
    await restore()
    const failedExport = await latest()
    assert.deepEqual([failedExport?.status, failedExport?.size_bytes], ['failed', 0])
    assert.match(failedExport?.error ?? '', /deleted/)
    // No temporary file is left.
    assert.deepEqual(
      readdirSync(config.dataDir, { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.includes('.tar'),
      ),
      [],
    )
  })
}
