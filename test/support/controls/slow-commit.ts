/**
 * Control: a server that answers a write before it commits, and whose commits take so long that a
 * test can end the database before them.
 */
import pg from 'pg'

const { query } = pg.Client.prototype
const SLOW_COMMIT = 'select pg_sleep(0.5); commit'

pg.Client.prototype.query = function (this: pg.Client, ...asked: unknown[]) {
  return Reflect.apply(query, this, asked[0] === 'commit' ? [SLOW_COMMIT] : asked)
} as typeof query
await import('./reply-before-commit.ts')
