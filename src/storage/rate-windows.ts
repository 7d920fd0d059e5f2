import { openPool } from './postgres-pool.ts'
import { prepared } from './prepared.ts'

/** Few: what comes together is sent together, and limits are not to wait for other statements. */
const CONNECTIONS = 2
const SPARE_MS = 60_000

/**
 * Of a row `most` and `wanted` are what the last asking brought: only so can the change see both. Rows
 * are locked in the order of their names, so that nobody waits in a circle.
 */
const TAKE = `
insert into rate_windows as known (name, ends_at, used, used_before, most, wanted)
select name, ends_at, least(most, wanted), 0, most, wanted
from unnest($1::text[], $2::bigint[], $3::integer[], $4::integer[])
  as asked (name, ends_at, most, wanted)
order by name, ends_at
on conflict (name, ends_at) do update set
  used_before = known.used,
  used = least(known.used + excluded.wanted, greatest(excluded.most, known.used)),
  most = excluded.most,
  wanted = excluded.wanted
returning name, ends_at, used, used_before`

interface Asked {
  name: string
  /** When the minute ends: milliseconds since 1970. */
  end: number
  limit: number
  wanted: number
}

interface Row {
  name: string
  ends_at: number
  used: number
  used_before: number
}

/**
 * Counts of the present minute in PostgreSQL, for processes that have no Redis: exact, as a row is
 * locked while it changes. The table is unlogged: a crash of the database forgets the minute.
 */
export function rateWindows(url: string) {
  const pool = openPool({ url, pool: CONNECTIONS, isPrimary: true })
  const names = prepared()
  let swept = 0

  /** Once a minute for each process; twice does no harm. */
  async function sweep(end: number): Promise<void> {
    swept = end
    await pool.query('delete from rate_windows where ends_at < $1', [end - SPARE_MS])
  }

  async function taken(values: unknown[]): Promise<Row[]> {
    const { rows } = await pool.query<Row>({ ...names.nameOf(TAKE), text: TAKE, values })
    return rows
  }

  return {
    patienceMs: 1_000,
    ready: () => sweep(0).catch(() => {}),
    async take(asked: readonly Asked[]): Promise<{ used: number; taken: number }[]> {
      const end = asked[0]?.end ?? 0
      if (end > swept) sweep(end).catch(() => {})
      const values = [
        asked.map(({ name }) => name),
        asked.map((one) => one.end),
        asked.map(({ limit }) => limit),
        asked.map(({ wanted }) => wanted),
      ]
      const rows = await taken(values).catch((error) => {
        if (names.isForeign(error)) return taken(values)
        throw error
      })
      const given = new Map(rows.map((row) => [`${row.name} ${row.ends_at}`, row]))
      return asked.map(({ name, end }) => {
        const { used = 0, used_before = 0 } = given.get(`${name} ${end}`) ?? {}
        return { used, taken: used - used_before }
      })
    },
    close: () => pool.end(),
  }
}
