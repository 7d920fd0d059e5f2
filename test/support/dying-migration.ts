/**
 * Preloaded: kills its process as soon as PostgreSQL was asked for the n-th change (`DIE_AT`). With
 * `NO_TRANSACTION` each statement is for itself.
 */
import pg from 'pg'

const { query } = pg.Client.prototype
const bare = process.env.NO_TRANSACTION !== undefined
let left = Number(process.env.DIE_AT)

pg.Client.prototype.query = function (this: pg.Client, ...asked: unknown[]) {
  const [what] = asked
  const isObject = typeof what === 'object' && what !== null && 'text' in what
  const text = String(isObject ? what.text : what)
  const isBegin = bare && text.startsWith('begin')
  const asking = Reflect.apply(query, this, isBegin ? ['select 1'] : asked)
  if (!/^(select|show)/.test(text)) left -= 1
  if (left === 0) process.kill(process.pid, 'SIGKILL')
  return asking
} as typeof query
