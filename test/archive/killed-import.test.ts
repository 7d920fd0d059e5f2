import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { exportWorkspace } from '#archive/export/export-workspace.ts'
import { parseConfig } from '#config/config.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { unscopedCommand, unscopedQuery } from '#db/core/statement.ts'
import { openStore } from '#db/installation/open-store.ts'
import { workspacesAfter } from '#db/retention/purge.ts'
import { stalledWorkspaceImports } from '#db/workspaces/workspace-imports.ts'
import { openFiles } from '#files/open.ts'
import {
  abandonStalledImports,
  deletePendingFiles,
  purgeAbandonedWorkspaces,
} from '#jobs/purges.ts'

import { runHostedCli, runHostedCliJson } from '../cli/run-hosted-cli.ts'
import { readFilesBelow } from '../secrets/secrets.ts'
import { ENGINES, openTestDocket } from '../support/engines/test-docket.ts'
import { findEntry } from '../support/server/server-process.ts'
import { createEmptyInstallation } from '../support/server/write-load.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { exportArchive } from './archive-files.ts'
import { createFilledWorkspace } from './filled-workspace.ts'

const STALLED_IMPORT = findEntry('test/support/server/programs/stalled-import.ts')

const exportedWorkspace = openTestDocket('sqlite').then(async (served) => {
  const team = await createFilledWorkspace(served)
  return { team, ...(await exportArchive(served, team.workspace)) }
})

const running = new Set<ReturnType<typeof spawn>>()
after(() => {
  for (const child of running) child.kill('SIGKILL')
})

/** Starts an import that stalls after the comments, and kills it there. */
async function killDuringImport(env: Record<string, string>, archive: string, storage: Storage) {
  const words = [STALLED_IMPORT, 'import', archive]
  const child = spawn(process.execPath, words, { env: { ...process.env, ...env }, stdio: 'ignore' })
  running.add(child)
  const hasComments = async () => {
    const [found] = await storage.read(ANONYMOUS_ACTOR, (tx) => tx.all(comments, {}))
    return (found?.count ?? 0) > 0
  }
  await waitUntil('rows come in', async () => {
    assert.equal(child.exitCode, null)
    return hasComments()
  })
  child.kill('SIGKILL')
  await once(child, 'exit')
  running.delete(child)
}

test('a killed import stays invisible and can be restarted', async () => {
  const { archive, team } = await exportedWorkspace
  const env = await createEmptyInstallation('sqlite')
  const config = parseConfig(env)
  const { storage } = await openStore(config)
  await killDuringImport(env, archive, storage)

  // It is invisible: it has no member, no export and no upkeep.
  const [active] = await storage.read(ANONYMOUS_ACTOR, (tx) => tx.all(activeMembers, {}))
  assert.equal(active?.count, 0)
  const visibleWorkspaces = await storage.read(ANONYMOUS_ACTOR, (tx) =>
    tx.all(workspacesAfter, { after: '', limit: 9 }),
  )
  assert.deepEqual(visibleWorkspaces, [])
  const words = ['export', '--workspace', team.workspace, '--to', join(config.dataDir, 'x.tar')]
  assert.match((await runHostedCli(env, ...words)).stderr, /not_found/)
  // Until its lease expires, it counts as still running.
  const again = await runHostedCli(env, 'import', archive, '--json')
  assert.match(again.stderr, /import_under_way/)
  assert.equal(again.code, 1)

  await storage.write(ANONYMOUS_ACTOR, (tx) =>
    tx.run(expireLease, { at: '2026-01-01T00:00:00.000Z' }),
  )
  const { ids, workspace_id } = await runHostedCliJson<{ ids: string; workspace_id: string }>(
    env,
    'import',
    archive,
  )
  assert.deepEqual([ids, workspace_id], ['kept', team.workspace])
  await storage.close()
})

for (const engine of ENGINES) {
  test(`upkeep removes the rows and files of a killed import (${engine})`, async () => {
    const { archive } = await exportedWorkspace
    const env = await createEmptyInstallation(engine)
    const config = parseConfig(env)
    const { storage } = await openStore(config)
    await killDuringImport(env, archive, storage)
    const files = openFiles(config)
    const jobs = [
      abandonStalledImports(storage),
      purgeAbandonedWorkspaces(storage, files),
      deletePendingFiles(storage, files),
    ]
    const runUpkeep = async () => {
      for (const job of [...jobs, ...jobs]) while (await job());
    }
    await runUpkeep()
    assert.equal((await storage.read(ANONYMOUS_ACTOR, (tx) => tx.all(workspaces, {})))[0]?.count, 1)
    await storage.write(ANONYMOUS_ACTOR, (tx) =>
      tx.run(expireLease, { at: '2026-01-01T00:00:00.000Z' }),
    )
    const expiredImports = await storage.read(ANONYMOUS_ACTOR, (tx) =>
      tx.all(stalledWorkspaceImports, { now: tx.now }),
    )
    assert.equal(expiredImports.length, 1)
    await runUpkeep()
    for (const count of [workspaces, users, comments]) {
      assert.equal((await storage.read(ANONYMOUS_ACTOR, (tx) => tx.all(count, {})))[0]?.count, 0)
    }
    const remaining = Object.keys(readFilesBelow(config.dataDir)).filter((name) =>
      /att_/.test(name),
    )
    assert.deepEqual(remaining, [])
    await storage.close()
  })
}

test('a failed export leaves no file under its name', async () => {
  const { team } = await exportedWorkspace
  const { config, storage } = await openTestDocket('sqlite')
  const files = {
    ...openFiles(config),
    read: () => Promise.reject(new Error('The bucket does not answer')),
  }
  const to = join(config.dataDir, 'failed.tar')
  const options = { workspace_id: team.workspace, to, onProgress() {} }
  await assert.rejects(exportWorkspace(storage, files, options), /does not answer/)
  const left = readdirSync(config.dataDir).filter((name) => name.startsWith('failed'))
  assert.deepEqual(left, [])
})

const countOf = (table: 'workspaces' | 'users' | 'comments') =>
  unscopedQuery((db) => db.selectFrom(table).select((is) => is.fn.countAll<number>().as('count')))
const [workspaces, users, comments] = [countOf('workspaces'), countOf('users'), countOf('comments')]

const activeMembers = unscopedQuery((db) =>
  db
    .selectFrom('memberships')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where('removed_at', 'is', null),
)

const expireLease = unscopedCommand((db, $: { at: string }) =>
  db.updateTable('installation').set({ value: $.at }).where('name', 'like', 'importing %'),
)
