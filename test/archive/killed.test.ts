import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { openFiles } from '#files/open.ts'
import { silentImports } from '#storage/imports.ts'
import { openStore } from '#storage/open.ts'
import { commandOfAll, queryOfAll } from '#storage/statement.ts'
import { workspacesAfter } from '#storage/upkeep.ts'
import { purgeAbandoned } from '#upkeep/abandoned.ts'
import { removeDoomed } from '#upkeep/files.ts'
import { endSilentImports } from '#upkeep/imports.ts'
import { configFrom } from '../../src/config.ts'
import { answerOf, docket } from '../cli/run.ts'
import { filesIn } from '../experiments/secrets.ts'
import { docketOn, ENGINES } from '../support/engines.ts'
import { emptyPlace } from '../support/saved.ts'
import { exported } from './support.ts'
import { newWorld } from './world.ts'

const made = docketOn('sqlite').then(async (served) => {
  const home = await newWorld(served)
  return { home, ...(await exported(served, home.workspace)) }
})

const running = new Set<ReturnType<typeof spawn>>()
after(() => {
  for (const child of running) child.kill('SIGKILL')
})

/** Begins an import and kills it when its rows have come so far. */
async function killAt(env: Record<string, string>, archive: string, storage: Storage) {
  const words = ['test/archive/slow-import.ts', 'import', archive]
  const child = spawn(process.execPath, words, { env: { ...process.env, ...env }, stdio: 'ignore' })
  running.add(child)
  const isThere = async () => {
    const [found] = await storage.read(NOBODY, (tx) => tx.all(comments, {}))
    return (found?.count ?? 0) > 0
  }
  for (let tries = 0; !(await isThere()); tries += 1) {
    assert.ok(tries < 600 && child.exitCode === null, 'rows come in')
    await pause(50)
  }
  child.kill('SIGKILL')
  await once(child, 'exit')
  running.delete(child)
}

for (const engine of ENGINES) {
  test(`an import that is killed shows nothing, and is begun anew (${engine})`, async () => {
    const { archive, home } = await made
    const env = await emptyPlace(engine)
    const config = configFrom(env)
    const { storage } = await openStore(config)
    await killAt(env, archive, storage)

    // It is nobody's: no member, no export, no upkeep.
    const [active] = await storage.read(NOBODY, (tx) => tx.all(activeMembers, {}))
    assert.equal(active?.count, 0)
    const seen = await storage.read(NOBODY, (tx) =>
      tx.all(workspacesAfter, { after: '', limit: 9 }),
    )
    assert.deepEqual(seen, [])
    const words = ['export', '--workspace', home.workspace, '--to', join(config.dataDir, 'x.tar')]
    assert.match((await docket(env, ...words)).stderr, /not_found/)
    // It may still be under way, for all that anybody else knows.
    const again = await docket(env, 'import', archive, '--json')
    assert.match(again.stderr, /import_under_way/)
    assert.equal(again.code, 1)

    await storage.write(NOBODY, (tx) => tx.run(letTimePass, { at: '2026-01-01T00:00:00.000Z' }))
    const { ids, workspace_id } = await answerOf<{ ids: string; workspace_id: string }>(
      env,
      ...['import', archive],
    )
    assert.deepEqual([ids, workspace_id], ['kept', home.workspace])
    await storage.close()
  })

  test(`upkeep takes away what a killed import has left (${engine})`, async () => {
    const { archive } = await made
    const env = await emptyPlace(engine)
    const config = configFrom(env)
    const { storage } = await openStore(config)
    await killAt(env, archive, storage)
    const files = openFiles(config)
    const chores = [
      endSilentImports(storage),
      purgeAbandoned(storage, files),
      removeDoomed(storage, files),
    ]
    const round = async () => {
      for (const chore of [...chores, ...chores]) while (await chore());
    }
    await round()
    assert.equal((await storage.read(NOBODY, (tx) => tx.all(workspaces, {})))[0]?.count, 1)
    await storage.write(NOBODY, (tx) => tx.run(letTimePass, { at: '2026-01-01T00:00:00.000Z' }))
    const silent = await storage.read(NOBODY, (tx) => tx.all(silentImports, { now: tx.now }))
    assert.equal(silent.length, 1)
    await round()
    for (const count of [workspaces, users, comments]) {
      assert.equal((await storage.read(NOBODY, (tx) => tx.all(count, {})))[0]?.count, 0)
    }
    const left = Object.keys(filesIn(config.dataDir)).filter((name) => /att_/.test(name))
    assert.deepEqual(left, [])
    await storage.close()
  })
}

test('an export that is killed or fails leaves no file under its name', async () => {
  const { home } = await made
  const { config, storage } = await docketOn('sqlite')
  const to = join(config.dataDir, 'killed.tar')
  const env = { DOCKET_DATA_DIR: config.dataDir, DOCKET_SECRET: config.secret ?? '' }
  const words = ['src/cli/main.ts', 'export', '--workspace', home.workspace, '--to', to]
  for (const ms of [250, 450, 650]) {
    const child = spawn(process.execPath, words, {
      env: { ...process.env, ...env },
      stdio: 'ignore',
    })
    running.add(child)
    await pause(ms)
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    running.delete(child)
    const whole = readdirSync(config.dataDir).includes('killed.tar')
    if (whole) assert.ok(readFileSync(to).includes('manifest.json'))
  }
  const files = {
    ...openFiles(config),
    read: () => Promise.reject(new Error('The bucket does not answer')),
  }
  const { exportWorkspace } = await import('#archive/export.ts')
  const failed = join(config.dataDir, 'failed.tar')
  const wanted = { workspace_id: home.workspace, to: failed, told() {} }
  await assert.rejects(exportWorkspace(storage, files, wanted), /does not answer/)
  assert.deepEqual(
    readdirSync(config.dataDir).filter((name) => name.startsWith('failed')),
    [],
  )
})

const countOf = (table: 'workspaces' | 'users' | 'comments') =>
  queryOfAll((db) => db.selectFrom(table).select((is) => is.fn.countAll<number>().as('count')))
const [workspaces, users, comments] = [countOf('workspaces'), countOf('users'), countOf('comments')]

const activeMembers = queryOfAll((db) =>
  db
    .selectFrom('memberships')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where('removed_at', 'is', null),
)

const letTimePass = commandOfAll((db, $: { at: string }) =>
  db.updateTable('installation').set({ value: $.at }).where('name', 'like', 'importing %'),
)
