import type pg from 'pg'

/** Whoever can be asked: a connection, or a pool of them. */
type Asked = Pick<pg.Pool | pg.Client, 'query'>

/** A commit must be on the disk when it returns. */
export async function assertDurable(db: Asked): Promise<void> {
  const [fault] = await durabilityFaults(db)
  if (fault !== undefined) {
    throw new Error(`PostgreSQL runs with ${fault}: an acknowledged write could be lost.`)
  }
}

const ALONE = `select current_setting('synchronous_commit') = 'local'
  and current_setting('synchronous_standby_names') <> '' as is_alone`

/** Settings of the server with which a commit may be lost that has returned. */
export async function durabilityFaults(db: Asked): Promise<string[]> {
  const faults: string[] = []
  for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes']) {
    const { rows } = await db.query(`show ${setting}`)
    if (rows[0]?.[setting] === 'off') faults.push(`${setting} = off`)
  }
  // Without a standby to wait for it is as good as `on`.
  const { rows } = await db.query(ALONE)
  if (rows[0]?.is_alone) faults.push('synchronous_commit = local beside synchronous_standby_names')
  return faults
}
