import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import pg from 'pg'
import { softDeleteWorkspace } from '#auth/workspaces/workspaces.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { openSqliteWriter } from '#db/sqlite/open-sqlite.ts'
import { createWordIndexMerge, truncateWal } from '#db/sqlite/purge-deleted-data.ts'
import { openFiles } from '#files/open.ts'
import { newId } from '#lib/id.ts'
import { createFilledWorkspace } from '#test/archive/filled-workspace.ts'
import {
  hashWorkspaceFiles,
  omitFromRows,
  readWorkspaceRows,
} from '#test/support/data/workspace-rows.ts'
import { openFreshDocket } from '#test/support/engines/fresh-docket.ts'
import { ENGINES, type TestDocket } from '#test/support/engines/test-docket.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { createImporter } from '#test/support/world/importer.ts'
import { runExportJobs } from '#test/support/world/run-export-jobs.ts'
import type { TestWorkspace } from '#test/support/world/test-workspace.ts'
import {
  deletePendingFiles,
  expireDeletedWorkspaces,
  purgeAbandonedWorkspaces,
  sweepOrphanedFiles,
} from './purges.ts'

const DAY = 24 * 60 * 60 * 1000
/** Also matches search words and keys. */
const TRACE = /quwertz/i

const clock = createTestClock()

/** A workspace with data in every table and store, all of it containing a word. */
async function newFilledWorkspace(served: TestDocket, word: string): Promise<TestWorkspace> {
  const { server, storage, config } = served
  const team = await createFilledWorkspace(served)
  const api = async (url: string, payload: object | Buffer) => {
    const type = Buffer.isBuffer(payload) ? 'text/plain' : 'application/json'
    const headers = { authorization: `Bearer ${team.keys.owner}`, 'content-type': type }
    const reply = await server.inject({ method: 'POST', url: `/api/v1${url}`, headers, payload })
    assert.ok(reply.statusCode < 300, `${url}: ${reply.body}`)
    return reply.json() as { id: string }
  }
  const title = `A ${word} task`
  const { id } = await api('/tasks', { project_id: team.project, title, description: title })
  await api(`/tasks/${id}/comments`, { body: `Also ${word}` })
  await api(`/tasks/${id}/attachments?filename=${word}.txt`, Buffer.from(`Bytes, ${word}`))
  await api(`/projects/${team.project}/tags`, { name: word })
  const hook = await api('/webhooks', { url: `https://example.com/${word}`, events: ['*'] })
  await api(`/webhooks/${hook.id}/test`, {})
  const importer = await createImporter(served, team, 'owner')
  await importer.upload(`${word}.csv`, `title\nImported ${word}`)
  await importer.work()
  await importer.ask('POST', '/internal/exports', undefined, 201)
  await runExportJobs(storage, openFiles(config))
  return team
}

/** Finds the word in the database: the SQLite files, or the PostgreSQL tables but the audit log. */
async function tracesIn({ engine, config }: TestDocket): Promise<string[]> {
  if (engine === 'sqlite') {
    // The reads of a turn hold a snapshot, which the log is not truncated under.
    await nextTurn()
    const path = join(config.dataDir, 'docket.db')
    const db = openSqliteWriter(path)
    db.exec('pragma busy_timeout = 5000')
    const step = createWordIndexMerge(db)
    while (step());
    truncateWal(db)
    db.close()
    return ['', '-wal'].filter((end) => TRACE.test(readFileSync(path + end, 'latin1')))
  }
  const client = new pg.Client(config.databaseUrl)
  await client.connect()
  const { rows } = await client.query(`select relname from pg_class
    where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace order by relname`)
  const tables: string[] = []
  for (const { relname } of rows) {
    const text = `select 1 from "${relname}" as one where one::text ~* 'quwertz' limit 1`
    if ((await client.query(text)).rowCount) tables.push(relname)
  }
  await client.end()
  return tables
}

for (const engine of ENGINES) {
  test(`leaves no data of a workspace deleted thirty days ago (${engine})`, async () => {
    const served = await openFreshDocket(engine, {}, { clock })
    const { storage, config } = served
    const [gone, stays] = [
      await newFilledWorkspace(served, 'quwertzian'),
      await newFilledWorkspace(served, 'plain'),
    ]
    // A kill between an upload and its row has left this file, just before the deletion.
    const orphan = join(config.dataDir, 'files', gone.workspace, newId('att'))
    writeFileSync(orphan, 'quwertzian')
    const before = {
      files: hashWorkspaceFiles(served, stays.workspace),
      rows: await readWorkspaceRows(served, stays.workspace),
    }
    // The control: there is something to purge.
    assert.equal(Object.keys(hashWorkspaceFiles(served, gone.workspace) ?? {}).length, 6)
    assert.ok((await tracesIn(served)).length > 0)
    for (const [table, rows] of Object.entries(await readWorkspaceRows(served, gone.workspace))) {
      const isMade = /^(imports|import_rows|exports|attachments|deliveries|events|webhooks)$/
      if (isMade.test(table)) assert.ok(rows.length > 0, `${table} has rows`)
    }

    const actor = { ...ANONYMOUS_ACTOR, role: 'owner' as const, workspace_id: gone.workspace }
    await storage.write(actor, softDeleteWorkspace)
    const files = openFiles(config)
    const jobs = [
      expireDeletedWorkspaces(storage, 30),
      purgeAbandonedWorkspaces(storage, files),
      deletePendingFiles(storage, files),
      sweepOrphanedFiles(storage, files),
    ]
    const runAll = async () => {
      for (const job of [...jobs, ...jobs]) while (await job());
    }
    clock.advance(29 * DAY)
    await runAll()
    const keptFiles = Object.keys(hashWorkspaceFiles(served, gone.workspace) ?? {})
    assert.equal(keptFiles.length, 5, 'all but the orphan is there')
    writeFileSync(orphan, 'quwertzian')
    clock.advance(DAY + 1_000)
    await runAll()

    assert.equal(hashWorkspaceFiles(served, gone.workspace), undefined)
    assert.deepEqual(readdirSync(join(config.dataDir, 'files/drafts')), [])
    const remaining = omitFromRows(await readWorkspaceRows(served, gone.workspace), [
      'audit_entries',
      'audit_heads',
    ])
    assert.deepEqual(Object.values(remaining).flat(), [])
    assert.deepEqual(await tracesIn(served), [])
    assert.deepEqual(hashWorkspaceFiles(served, stays.workspace), before.files)
    assert.deepEqual(await readWorkspaceRows(served, stays.workspace), before.rows)
  })
}
