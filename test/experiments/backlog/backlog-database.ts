import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseConfig } from '#config/config.ts'
import type { DatabaseEngine } from '#core/transaction.ts'
import { openStore } from '#db/installation/open-store.ts'
import { createApp } from '#server/app.ts'
import { atEnd, closeAfterFile, createEmptyDatabase } from '#test/support/engines/test-database.ts'
import { testLog } from '#test/support/engines/test-docket.ts'
import { createTempDir } from '#test/support/system/temp-dir.ts'
import { TEST_SECRET } from '#test/support/system/test-secret.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { createBacklogSql } from './backlog.ts'
import type { BacklogStore } from './backlog-steps.ts'

const WEBHOOK_COUNT = 10

/** A workspace with a backlog on a database of its own that tests can query directly. */
export interface BacklogDatabase extends BacklogStore {
  /** Runs SQL and returns its rows. */
  runSql(sql: string): Promise<Record<string, unknown>[]>
}

/** Creates a workspace whose webhooks each have `events` pending deliveries. */
export async function createBacklogDatabase(
  engine: DatabaseEngine,
  events: number,
): Promise<BacklogDatabase> {
  const dataDir = createTempDir()
  const database = engine === 'postgres' ? await createEmptyDatabase() : undefined
  const config = parseConfig({
    DOCKET_DATA_DIR: dataDir,
    DOCKET_SECRET: TEST_SECRET,
    ...(database && { DOCKET_DATABASE_URL: database.url }),
  })
  const { storage } = await openStore(config)
  closeAfterFile(storage)
  const { server } = await createApp(storage, config, TEST_SECRET, testLog)
  const { workspace, project, keys } = await createTestWorkspace(storage)
  const headers = { authorization: `Bearer ${keys.owner}` }
  const make = async (url: string, payload: object): Promise<string> =>
    (await server.inject({ method: 'POST', url, headers, payload })).json().id
  await make('/api/v1/tasks', { project_id: project, title: 'The first' })
  const webhooks: string[] = []
  while (webhooks.length < WEBHOOK_COUNT) {
    const input = { url: 'http://127.0.0.1:9/', events: ['task.created'] }
    webhooks.push(await make('/api/v1/webhooks', input))
  }
  await server.close()
  const look = database
    ? async (sql: string) => (await database.admin.query(sql)).rows
    : openSqlite()
  const since = new Date().toISOString()
  for (const sql of createBacklogSql({ workspace, webhooks, events, since })) await look(sql)
  return { storage, workspace, project, webhooks, runSql: look }

  function openSqlite(): BacklogDatabase['runSql'] {
    const db = new DatabaseSync(join(dataDir, 'docket.db'), { timeout: 5_000 })
    atEnd(() => db.close())
    return async (sql) => db.prepare(sql).all()
  }
}
