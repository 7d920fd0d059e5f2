import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { unscopedQuery } from '#db/core/statement.ts'
import { INSTALLATION_AUDIT_LOG } from '#wire/audit-actions.ts'
import { openFreshDocket } from '../../support/engines/fresh-docket.ts'
import { readAuditLog } from '../../support/scenario/expected-audit-entries.ts'
import type { AuditWriterTask } from '../../support/server/programs/audit-writer.ts'
import { findEntry } from '../../support/server/server-process.ts'
import { createTestWorkspace } from '../../support/world/test-workspace.ts'

const AUDITOR = findEntry('test/support/server/programs/audit-writer.ts')
const WRITES_PER_PROCESS = 200

const subjects = unscopedQuery((db) =>
  db.selectFrom('audit_entries').select(['subject_id', 'action']).where('actor_type', '<>', 'app'),
)

/** Runs a writing process. Returns the ids it has reported, and how it ended. */
async function runWriter(auditing: AuditWriterTask, killAfter = Infinity) {
  const child = fork(AUDITOR)
  const reported: string[] = []
  child.on('message', (id) => {
    if (reported.push(String(id)) === killAfter) child.kill('SIGKILL')
  })
  child.send(auditing)
  const [code, signal] = await once(child, 'exit')
  return { reported, code, signal }
}

test('the audit log has no gap when processes write at once and one is killed', async () => {
  const { storage, config } = await openFreshDocket('postgres')
  const homes = [await createTestWorkspace(storage), await createTestWorkspace(storage)]
  const workspaces = homes.map(({ workspace }) => workspace)
  const { databaseUrl = '', dataDir } = config
  const where = { databaseUrl, dataDir, workspaces, each: WRITES_PER_PROCESS }
  const ended = await Promise.all([
    runWriter({ ...where, name: 'one' }),
    runWriter({ ...where, name: 'two', workspaces: workspaces.toReversed() }),
    runWriter({ ...where, name: 'killed' }, WRITES_PER_PROCESS / 4),
  ])
  assert.deepEqual(
    ended.map(({ code, signal }) => code ?? signal),
    [0, 0, 'SIGKILL'],
  )
  assert.deepEqual(
    ended.slice(0, 2).map(({ reported }) => reported.length),
    [WRITES_PER_PROCESS, WRITES_PER_PROCESS],
    'no write was refused',
  )
  for (const log of [...workspaces, INSTALLATION_AUDIT_LOG]) {
    const { length } = await readAuditLog(storage, log)
    assert.ok(length > WRITES_PER_PROCESS / 10, `${length} in ${log}`)
  }
  const written = await storage.read(ANONYMOUS_ACTOR, (tx) => tx.all(subjects, {}))
  const created = written.filter(({ action }) => action === 'session.created')
  const ids = created.map(({ subject_id }) => subject_id)
  assert.equal(new Set(ids).size, ids.length, 'nothing is there twice')
  const existing = new Set(ids)
  for (const id of ended.flatMap(({ reported }) => reported)) assert.ok(existing.has(id), id)
})
