/** Control: a server of the next release whose migrations wait for table locks without a lock_timeout. */
import pg from 'pg'

const { query } = pg.Client.prototype
const LOCK_TIMEOUT = /^set local lock_timeout/

pg.Client.prototype.query = function (this: pg.Client, ...asked: unknown[]) {
  const isBound = LOCK_TIMEOUT.test(String(asked[0]))
  return Reflect.apply(query, this, isBound ? ['set local lock_timeout = 0'] : asked)
} as typeof query
await import('../server-variants/next-release.ts')
