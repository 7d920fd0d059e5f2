import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Engine } from '#core/tx.ts'
import { openStore } from '#storage/open.ts'
import { app } from '../../src/app.ts'
import { configFrom } from '../../src/config.ts'
import { emptyDir } from '../support/dir.ts'
import { log, SECRET } from '../support/engines.ts'
import { newHome } from '../support/home.ts'
import { atEnd, closing, emptyDatabase } from '../support/store.ts'
import { backlogSql } from './backlog.ts'
import type { Burdened } from './backlog-steps.ts'

const WEBHOOKS = 10

/** The same on a database of its own, which one can look into behind the store. */
export interface Opened extends Burdened {
  /** Runs SQL, and gives its rows. */
  look(sql: string): Promise<Record<string, unknown>[]>
}

/** A workspace whose webhooks each have so many deliveries waiting. */
export async function burden(engine: Engine, events: number): Promise<Opened> {
  const dataDir = emptyDir()
  const database = engine === 'postgres' ? await emptyDatabase() : undefined
  const config = configFrom({
    DOCKET_DATA_DIR: dataDir,
    DOCKET_SECRET: SECRET,
    ...(database && { DOCKET_DATABASE_URL: database.url }),
  })
  const { storage } = await openStore(config)
  closing(storage)
  const { server } = await app(storage, config, SECRET, log)
  const { workspace, project, keys } = await newHome(storage)
  const headers = { authorization: `Bearer ${keys.owner}` }
  const make = async (url: string, payload: object): Promise<string> =>
    (await server.inject({ method: 'POST', url, headers, payload })).json().id
  await make('/api/v1/tasks', { project_id: project, title: 'The first' })
  const webhooks: string[] = []
  while (webhooks.length < WEBHOOKS) {
    const wish = { url: 'http://127.0.0.1:9/', events: ['task.created'] }
    webhooks.push(await make('/api/v1/webhooks', wish))
  }
  await server.close()
  const look = database ? async (sql: string) => (await database.admin.query(sql)).rows : within()
  const since = new Date().toISOString()
  for (const sql of backlogSql({ workspace, webhooks, events, since })) await look(sql)
  return { storage, workspace, project, webhooks, look }

  function within(): Opened['look'] {
    const db = new DatabaseSync(join(dataDir, 'docket.db'), { timeout: 5_000 })
    atEnd(() => db.close())
    return async (sql) => db.prepare(sql).all()
  }
}
