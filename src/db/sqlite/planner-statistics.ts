import type { DatabaseSync } from 'node:sqlite'

/**
 * The figures that the planner is given, as the migrations insert them: the total of rows, then rows
 * per value of each further index column. All other tables have none.
 */
const PLANNER_STATISTICS = [
  ['deliveries', 'deliveries_event', '1000000 100000 5'],
  ['deliveries', 'deliveries_lane', '500000 50000 10000 4 1'],
  ['deliveries', 'deliveries_pending', '500000 50000 10000 10000 8000 5000 2 1'],
  ['deliveries', 'deliveries_status', '1000000 100000 20000 10000 1'],
  ['deliveries', 'deliveries_type', '1000000 100000 20000 5000 1'],
  ['deliveries', 'deliveries_webhook', '1000000 100000 20000 1'],
  ['deliveries', 'sqlite_autoindex_deliveries_1', '1000000 100000 1'],
  ['webhooks', 'sqlite_autoindex_webhooks_1', '100000 50 1'],
  ['webhooks', 'webhooks_due', '50000 2 1'],
] as const

/**
 * Removes statistics that somebody has measured (`analyze`, `pragma optimize`) and restores the fixed
 * ones; returns whether it had to. Measured ones make plans that were never tested: after `analyze`
 * in a database of two projects, SQLite finds a task by scanning all projects, and goes on doing so
 * when there are thousands.
 */
export function restorePlannerStatistics(db: DatabaseSync): boolean {
  const rows = db.prepare('select tbl, idx, stat from sqlite_stat1 order by tbl, idx').all()
  const present = rows.map(({ tbl, idx, stat }) => [tbl, idx, stat])
  if (JSON.stringify(present) === JSON.stringify(PLANNER_STATISTICS)) return false
  db.exec('begin immediate; delete from sqlite_stat1')
  try {
    const insert = db.prepare('insert into sqlite_stat1 (tbl, idx, stat) values (?, ?, ?)')
    for (const row of PLANNER_STATISTICS) insert.run(...row)
    db.exec('analyze sqlite_schema; commit')
  } catch (error) {
    db.exec('rollback')
    throw error
  }
  return true
}
