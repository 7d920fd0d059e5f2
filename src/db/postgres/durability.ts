import type pg from 'pg'

/** A connection or a pool. */
type Queryable = Pick<pg.Pool | pg.Client, 'query'>

/** Throws if a commit may return before it is on the disk. */
export async function assertDurable(db: Queryable): Promise<void> {
  const [fault] = await findDurabilityFaults(db)
  if (fault !== undefined) {
    throw new Error(`PostgreSQL runs with ${fault}: an acknowledged write could be lost.`)
  }
}

const IS_LOCAL_BESIDE_STANDBY_SQL = `select current_setting('synchronous_commit') = 'local'
  and current_setting('synchronous_standby_names') <> '' as is_alone`

/** Lists server settings with which a commit that has returned may still be lost. */
export async function findDurabilityFaults(db: Queryable): Promise<string[]> {
  const faults: string[] = []
  for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes']) {
    const { rows } = await db.query(`show ${setting}`)
    if (rows[0]?.[setting] === 'off') faults.push(`${setting} = off`)
  }
  // Without a synchronous standby `local` is as safe as `on`.
  const { rows } = await db.query(IS_LOCAL_BESIDE_STANDBY_SQL)
  if (rows[0]?.is_alone) faults.push('synchronous_commit = local beside synchronous_standby_names')
  return faults
}
