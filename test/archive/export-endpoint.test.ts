import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import type { OutgoingHttpHeaders } from 'node:http'
import { test } from 'node:test'
import { purgeExports } from '#archive/export/export-jobs.ts'
import { clearAttempts, countAttempts, listActionLimits } from '#auth/sign-in/attempt-limits.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { WriteTx } from '#core/transaction.ts'
import { openFiles } from '#files/open.ts'
import { deletePendingFiles } from '#jobs/purges.ts'
import type { AuditEntry } from '#resources/audit/internal.ts'
import { type Export, getExportContent } from '#resources/exports/internal.ts'
import { openFreshDocket } from '../support/engines/fresh-docket.ts'
import { ENGINES } from '../support/engines/test-docket.ts'
import { createTestClock } from '../support/system/test-clock.ts'
import { newClientAddress } from '../support/world/cookie-client.ts'
import { runExportJobs } from '../support/world/run-export-jobs.ts'
import { createTestSession } from '../support/world/test-session.ts'
import {
  exportArchive,
  importArchive,
  newArchivePath,
  readComparableFiles,
} from './archive-files.ts'
import { createFilledWorkspace } from './filled-workspace.ts'

const OTHER_ENGINE = { sqlite: 'postgres', postgres: 'sqlite' } as const
const hashIn = ({ etag }: OutgoingHttpHeaders) => String(etag).replaceAll('"', '')
const DAY_MS = 24 * 60 * 60 * 1000

for (const engine of ENGINES) {
  test(`an owner exports a workspace by download, and it imports identically elsewhere (${engine})`, async () => {
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
    const there = await openFreshDocket(OTHER_ENGINE[engine])
    await importArchive(there, archive)
    const again = await exportArchive(there, team.workspace)
    assert.deepEqual(await readComparableFiles(again.archive), await readComparableFiles(archive))

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
