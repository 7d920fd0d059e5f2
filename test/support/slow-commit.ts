/** Preloaded: PostgreSQL takes its time for each commit, so that there is time to end it meanwhile. */
import pg from 'pg'

const { query } = pg.Client.prototype
const SLOWLY = 'select pg_sleep(0.5); commit'

pg.Client.prototype.query = function (this: pg.Client, ...asked: unknown[]) {
  return Reflect.apply(query, this, asked[0] === 'commit' ? [SLOWLY] : asked)
} as typeof query
