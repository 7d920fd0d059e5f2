import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { parseConfig } from '#config/config.ts'
import { type Actor, ANONYMOUS_ACTOR } from '#core/actor.ts'
import { openStore } from '#db/installation/open-store.ts'
import type { Export } from '#resources/exports/internal.ts'
import { createTaskFromInput } from '#resources/tasks/operations/create.ts'
import { exportArchive, newArchivePath, readComparableFiles } from '../../archive/archive-files.ts'
import { createMigratedDatabase, makeJobsDue } from '../../support/engines/test-database.ts'
import { ENGINES } from '../../support/engines/test-docket.ts'
import { endServer, seedDataDir, startServer } from '../../support/server/server-process.ts'
import { findFreePort } from '../../support/system/free-port.ts'
import { createTempDir } from '../../support/system/temp-dir.ts'
import { TEST_SECRET } from '../../support/system/test-secret.ts'
import { waitUntil } from '../../support/system/wait-until.ts'
import { createTestSession } from '../../support/world/test-session.ts'

/** Tasks and events of thirty megabytes, so that the export takes a while. */
const TASKS = 250
const TASKS_OF_WRITE = 25
const TEXT = 'word '.repeat(12_000)

for (const engine of ENGINES) {
  test(`an export starts again after a kill of the server (${engine})`, {
    timeout: 120_000,
  }, async (t) => {
    const dataDir = createTempDir()
    const env: Record<string, string> =
      engine === 'postgres' ? { DOCKET_DATABASE_URL: (await createMigratedDatabase()).url } : {}
    const { workspace, project, people } = await seedDataDir(dataDir, env)
    const port = await findFreePort()
    const url = `http://127.0.0.1:${port}`
    const config = parseConfig({ ...env, DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: TEST_SECRET })
    const before = await openStore(config)
    const team = { workspace, project, people }
    const { headers } = await createTestSession(before.storage, team, 'owner', url)
    const owner: Actor = {
      ...ANONYMOUS_ACTOR,
      workspace_id: workspace,
      type: 'user',
      role: 'owner',
      user_id: people.owner,
    }
    for (let from = 0; from < TASKS; from += TASKS_OF_WRITE) {
      await before.storage.write(owner, async (tx) => {
        for (let at = from; at < from + TASKS_OF_WRITE; at += 1) {
          const input = { project_id: project, title: `Task ${at}`, description: TEXT }
          await createTaskFromInput(tx, input)
        }
      })
    }
    await before.storage.close()
    const ask = (path: string, method = 'GET') =>
      fetch(`${url}/internal/exports${path}`, { method, headers })
    const list = async () => ((await (await ask('')).json()) as { data: Export[] }).data[0]
    const launchServer = async () => {
      const server = await startServer(dataDir, { port, env })
      t.after(() => endServer(server, 'SIGKILL'))
      return server
    }
    const isHalfWritten = () =>
      existsSync(join(dataDir, 'files/drafts')) &&
      readdirSync(join(dataDir, 'files/drafts')).some((name) => name.includes('.part-'))

    const first = await launchServer()
    const begun = await ask('', 'POST')
    const { id } = (await begun.json()) as Export
    const content = () => ask(`/${id}/content`)
    await waitUntil('half of it', isHalfWritten)
    await endServer(first, 'SIGKILL')
    assert.ok(isHalfWritten())
    assert.equal(existsSync(join(dataDir, 'files', workspace)), false)

    const after = await openStore(config)
    // Another process waits for the lease of the killed one, so the lease is ended here.
    await after.storage.write(ANONYMOUS_ACTOR, (tx) => tx.run(makeJobsDue, {}))
    const second = await launchServer()
    const statuses = new Set<string | undefined>()
    for (;;) {
      // Asked for first: an export that is not ready afterwards had no content then.
      const { status } = await content()
      const now = await list()
      if (now?.status === 'ready') break
      statuses.add(now?.status)
      assert.equal(status, 404)
      await pause(20)
    }
    // None, if it was ready by the first look.
    assert.deepEqual(statuses.difference(new Set(['running'])), new Set())
    const reply = await content()
    const bytes = Buffer.from(await reply.arrayBuffer())
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    assert.equal(reply.headers.get('etag'), `"${sha256}"`)
    await endServer(second, 'SIGTERM')

    const archive = newArchivePath()
    writeFileSync(archive, bytes)
    const repeated = await exportArchive({ storage: after.storage, config }, workspace)
    const [actual, expected] = [
      await readComparableFiles(archive),
      await readComparableFiles(repeated.archive),
    ]
    assert.deepEqual([...actual.keys()], [...expected.keys()])
    for (const part of ['tasks.jsonl', 'events.jsonl']) {
      assert.ok(actual.get(part) === expected.get(part), part)
    }
    await after.storage.close()
  })
}
