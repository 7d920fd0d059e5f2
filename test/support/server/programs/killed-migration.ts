import pg from 'pg'
import { migrateStore } from '#db/installation/open-store.ts'
import { addMigrations, NEXT_MIGRATIONS } from '../../migrations/next-release-migrations.ts'

/**
 * Migrates a database to the next release, and kills its process right after it sends the n-th change
 * (`DIE_AT`) to PostgreSQL.
 */

const { query } = pg.Client.prototype
let changesLeft = Number(process.env.DIE_AT)

pg.Client.prototype.query = function (this: pg.Client, ...asked: unknown[]) {
  const [what] = asked
  const isObject = typeof what === 'object' && what !== null && 'text' in what
  const text = String(isObject ? what.text : what)
  const asking = Reflect.apply(query, this, asked)
  if (!/^(select|show)/.test(text)) changesLeft -= 1
  if (changesLeft === 0) process.kill(process.pid, 'SIGKILL')
  return asking
} as typeof query
addMigrations(NEXT_MIGRATIONS)
await migrateStore({ dataDir: '', databaseUrl: process.env.DOCKET_DATABASE_URL })
