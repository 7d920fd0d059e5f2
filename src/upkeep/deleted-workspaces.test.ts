import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { jobsOf, makeArchive } from '#archive/background.ts'
import { NOBODY } from '#core/actor.ts'
import { openFiles } from '#files/open.ts'
import { deleteWorkspace } from '#identity/deletion.ts'
import { newId } from '#lib/id.ts'
import { STAYING } from '#storage/abandoned.ts'
import { openForWriting } from '#storage/sqlite.ts'
import { mergeWords, truncateLog } from '#storage/sqlite-remains.ts'
import { newWorld } from '#test/archive/world.ts'
import { censusOf, filesOf, without } from '#test/support/census.ts'
import { createTestClock } from '#test/support/clock.ts'
import { ENGINES, log, type Served } from '#test/support/engines.ts'
import { freshDocket } from '#test/support/fresh.ts'
import type { Home } from '#test/support/home.ts'
import { importerOf } from '#test/support/importing.ts'
import { purgeAbandoned } from './abandoned.ts'
import { indexComments } from './comment-words.ts'
import { eraseDeleted } from './deleted-workspaces.ts'
import { removeDoomed, sweepOrphans } from './files.ts'

const DAY = 24 * 60 * 60 * 1000
/** As it lies in words and keys, too. */
const TRACE = /quwertz/i

const clock = createTestClock()

/** A workspace of which something lies everywhere, with a word of its own in it. */
async function newPlace(served: Served, word: string): Promise<Home> {
  const { server, storage, config } = served
  const home = await newWorld(served)
  const api = async (url: string, payload: object | Buffer) => {
    const type = Buffer.isBuffer(payload) ? 'text/plain' : 'application/json'
    const headers = { authorization: `Bearer ${home.keys.owner}`, 'content-type': type }
    const reply = await server.inject({ method: 'POST', url: `/api/v1${url}`, headers, payload })
    assert.ok(reply.statusCode < 300, `${url}: ${reply.body}`)
    return reply.json() as { id: string }
  }
  const title = `A ${word} task`
  const { id } = await api('/tasks', { project_id: home.project, title, description: title })
  await api(`/tasks/${id}/comments`, { body: `Also ${word}` })
  await api(`/tasks/${id}/attachments?filename=${word}.txt`, Buffer.from(`Bytes, ${word}`))
  await api(`/projects/${home.project}/tags`, { name: word })
  const hook = await api('/webhooks', { url: `https://example.com/${word}`, events: ['*'] })
  await api(`/webhooks/${hook.id}/test`, {})
  while (await indexComments(storage)());
  const importer = await importerOf(served, home, 'owner')
  await importer.upload(`${word}.csv`, `title\nImported ${word}`)
  await importer.work()
  await importer.ask('POST', '/internal/exports', undefined, 201)
  const means = { storage, files: openFiles(config), log }
  for (const job of await jobsOf(storage)) await makeArchive(means, 'here', job)
  return home
}

/** Where in the database the word lies: in a file of it, or a table that is not the audit log. */
async function tracesIn({ engine, config }: Served): Promise<string[]> {
  if (engine === 'sqlite') {
    const path = join(config.dataDir, 'docket.db')
    const db = openForWriting(path)
    db.exec('pragma busy_timeout = 5000')
    const step = mergeWords(db)
    while (step());
    truncateLog(db)
    db.close()
    return ['', '-wal'].filter((end) => TRACE.test(readFileSync(path + end, 'latin1')))
  }
  const client = new pg.Client(config.databaseUrl)
  await client.connect()
  const { rows } = await client.query(`select relname from pg_class
    where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace order by relname`)
  const found: string[] = []
  for (const { relname } of rows) {
    const text = `select 1 from "${relname}" as one where one::text ~* 'quwertz' limit 1`
    if ((await client.query(text)).rowCount) found.push(relname)
  }
  await client.end()
  return found
}

for (const engine of ENGINES) {
  test(`of a workspace deleted thirty days ago nothing lies anywhere (${engine})`, async () => {
    const served = await freshDocket(engine, {}, { clock })
    const { storage, config } = served
    const [gone, stays] = [await newPlace(served, 'quwertzian'), await newPlace(served, 'plain')]
    // A kill between an upload and its row has left it, a moment before the workspace goes.
    const orphan = join(config.dataDir, 'files', gone.workspace, newId('att'))
    writeFileSync(orphan, 'quwertzian')
    const before = {
      files: filesOf(served, stays.workspace),
      rows: await censusOf(served, stays.workspace),
    }
    // The control: there is something to take away.
    assert.equal(Object.keys(filesOf(served, gone.workspace) ?? {}).length, 6)
    assert.ok((await tracesIn(served)).length > 0)
    for (const [table, rows] of Object.entries(await censusOf(served, gone.workspace))) {
      const isMade = /^(imports|import_rows|exports|attachments|deliveries|events|webhooks)$/
      if (isMade.test(table)) assert.ok(rows.length > 0, `${table} has rows`)
    }

    const actor = { ...NOBODY, role: 'owner' as const, workspace_id: gone.workspace }
    await storage.write(actor, deleteWorkspace)
    const files = openFiles(config)
    const chores = [
      ...[eraseDeleted(storage, 30), purgeAbandoned(storage, files)],
      ...[removeDoomed(storage, files), sweepOrphans(storage, files)],
    ]
    const rounds = async () => {
      for (const chore of [...chores, ...chores]) while (await chore());
    }
    clock.advance(29 * DAY)
    await rounds()
    const kept = Object.keys(filesOf(served, gone.workspace) ?? {})
    assert.equal(kept.length, 5, 'all but the orphan is there')
    writeFileSync(orphan, 'quwertzian')
    clock.advance(DAY + 1_000)
    await rounds()

    assert.equal(filesOf(served, gone.workspace), undefined)
    assert.deepEqual(readdirSync(join(config.dataDir, 'files/drafts')), [])
    const left = without(await censusOf(served, gone.workspace), STAYING)
    assert.deepEqual(Object.values(left).flat(), [])
    assert.deepEqual(await tracesIn(served), [])
    assert.deepEqual(filesOf(served, stays.workspace), before.files)
    assert.deepEqual(await censusOf(served, stays.workspace), before.rows)
  })
}
