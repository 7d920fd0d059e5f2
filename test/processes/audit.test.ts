import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import { verifyChain } from '#storage/audit-verify.ts'
import { queryOfAll } from '#storage/statement.ts'
import { INSTALLATION } from '#wire/audit.ts'
import type { Auditing } from '../support/auditor.ts'
import { freshDocket } from '../support/fresh.ts'
import { newHome } from '../support/home.ts'

const AUDITOR = new URL('../support/auditor.ts', import.meta.url)
const EACH = 200

const subjects = queryOfAll((db) =>
  db.selectFrom('audit_entries').select(['subject_id', 'action']).where('actor_type', '<>', 'app'),
)

/** Lets a process write; gives what it has told, and how it ended. */
async function writing(auditing: Auditing, killAfter = Infinity) {
  const child = fork(AUDITOR)
  const told: string[] = []
  child.on('message', (id) => {
    if (told.push(String(id)) === killAfter) child.kill('SIGKILL')
  })
  child.send(auditing)
  const [code, signal] = await once(child, 'exit')
  return { told, code, signal }
}

test('processes that write together make one chain, and a kill takes nothing from it', async () => {
  const { storage, config } = await freshDocket('postgres')
  const homes = [await newHome(storage), await newHome(storage)]
  const workspaces = homes.map(({ workspace }) => workspace)
  const { databaseUrl = '', dataDir } = config
  const where = { databaseUrl, dataDir, workspaces, each: EACH }
  const ended = await Promise.all([
    writing({ ...where, name: 'one' }),
    writing({ ...where, name: 'two', workspaces: workspaces.toReversed() }),
    writing({ ...where, name: 'killed' }, EACH / 4),
  ])
  assert.deepEqual(
    ended.map(({ code, signal }) => code ?? signal),
    [0, 0, 'SIGKILL'],
  )
  assert.deepEqual(
    ended.slice(0, 2).map(({ told }) => told.length),
    [EACH, EACH],
    'no write was refused',
  )
  for (const chain of [...workspaces, INSTALLATION]) {
    const { fault, entries } = await verifyChain(storage, chain)
    assert.equal(fault, null, chain)
    assert.ok(entries > EACH / 10, `${entries} in ${chain}`)
  }
  const written = await storage.read(NOBODY, (tx) => tx.all(subjects, {}))
  const created = written.filter(({ action }) => action === 'session.created')
  const ids = created.map(({ subject_id }) => subject_id)
  assert.equal(new Set(ids).size, ids.length, 'nothing is there twice')
  const there = new Set(ids)
  for (const id of ended.flatMap(({ told }) => told)) assert.ok(there.has(id), id)
})
