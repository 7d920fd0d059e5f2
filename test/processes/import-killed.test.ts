import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { parseConfig } from '#config/config.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { openStore } from '#db/installation/open-store.ts'
import type { Import } from '#resources/imports/internal.ts'
import type { Task } from '#resources/tasks/fields.ts'
import { createMigratedDatabase, makeJobsDue } from '../support/engines/test-database.ts'
import { ENGINES } from '../support/engines/test-docket.ts'
import { readEvents } from '../support/scenario/scenario.ts'
import { endServer, seedDataDir, startServer } from '../support/server/server-process.ts'
import { findFreePort } from '../support/system/free-port.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { TEST_SECRET } from '../support/system/test-secret.ts'
import { createTestSession } from '../support/world/test-session.ts'

const ROWS = 400

for (const engine of ENGINES) {
  test(`an import continues after a kill of the server (${engine})`, {
    timeout: 120_000,
  }, async (t) => {
    const dataDir = createTempDir()
    const env: Record<string, string> =
      engine === 'postgres' ? { DOCKET_DATABASE_URL: (await createMigratedDatabase()).url } : {}
    const team = await seedDataDir(dataDir, env)
    const port = await findFreePort()
    const url = `http://127.0.0.1:${port}`
    const openTestStore = () =>
      openStore(parseConfig({ ...env, DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: TEST_SECRET }))
    const readTitles = async (storage: Storage) =>
      (await readEvents(storage, team.workspace))
        .filter(({ type }) => type === 'task.created')
        .map(({ payload }) => (JSON.parse(payload) as { data: Task }).data.title)
    const before = await openTestStore()
    const { headers } = await createTestSession(before.storage, team, 'admin', url)
    await before.storage.close()

    const first = await startServer(dataDir, { port, env })
    t.after(() => endServer(first, 'SIGKILL'))
    const importApi = createServerImporter(url, headers)
    const lines = Array.from({ length: ROWS }, (_, at) => `Task ${at},tag ${at % 7}`)
    const { id } = await importApi.upload('Many.csv', `title,tags\n${lines.join('\n')}`)
    await importApi.until(id, ({ status }) => status === 'ready')
    await importApi.act(id, 'start')
    await importApi.until(id, ({ made_count }) => made_count > 0)
    await endServer(first, 'SIGKILL')

    const after = await openTestStore()
    // Another process waits for the lease of the killed one, so the lease is ended here.
    await after.storage.write(ANONYMOUS_ACTOR, (tx) => tx.run(makeJobsDue, {}))
    const made = (await readTitles(after.storage)).length
    assert.ok(made > 0 && made < ROWS, `killed after ${made}`)
    await after.storage.close()
    const second = await startServer(dataDir, { port, env })
    t.after(() => endServer(second, 'SIGKILL'))
    const done = await importApi.until(id, ({ status }) => status === 'done')
    assert.deepEqual([done.made_count, done.failed_count], [ROWS, 0])
    await endServer(second, 'SIGTERM')

    const { storage } = await openTestStore()
    const titles = await readTitles(storage)
    await storage.close()
    assert.deepEqual(
      titles,
      Array.from({ length: ROWS }, (_, at) => `Task ${at}`),
    )
  })
}

/** A client that imports a file through a server process, with the session in these headers. */
function createServerImporter(url: string, headers: Record<string, string>) {
  async function ask<T>(method: string, path: string, more: RequestInit = {}): Promise<T> {
    const reply = await fetch(`${url}${path}`, {
      method,
      ...more,
      headers: { ...headers, ...more.headers },
    })
    const text = await reply.text()
    assert.ok(reply.ok, `${method} ${path}: ${reply.status} ${text}`)
    return JSON.parse(text) as T
  }
  const get = (id: string) => ask<Import>('GET', `/internal/imports/${id}`)
  return {
    get,
    upload: (filename: string, body: string) =>
      ask<Import>('POST', `/internal/imports?filename=${filename}`, {
        body,
        headers: { 'content-type': 'application/octet-stream' },
      }),
    act: (id: string, name: string) => ask<Import>('POST', `/internal/imports/${id}/${name}`),
    /** Polls until the import satisfies the condition; fails if the import fails. */
    async until(id: string, isSo: (now: Import) => boolean): Promise<Import> {
      for (;;) {
        // A busy machine sheds load: 503 means to try again.
        const reply = await fetch(`${url}/internal/imports/${id}`, { headers })
        const now = reply.status === 503 ? undefined : ((await reply.json()) as Import)
        if (now && isSo(now)) return now
        assert.notEqual(now?.status, 'failed', now?.error?.code ?? '')
        // A session has 600 requests a minute.
        await pause(120)
      }
    },
  }
}
