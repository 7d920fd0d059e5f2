import { openPostgresPool } from './pool.ts'
import { createStatementNames } from './session.ts'

/** Few suffice, as concurrent counts share a statement; separate, so that limits never wait. */
const CONNECTIONS = 2
const RETENTION_MS = 60_000

/**
 * Deletes the windows that have ended a while ago by the clock of PostgreSQL, by which all processes
 * count, and returns its time.
 */
const SWEEP_SQL = `
with times as (select (extract(epoch from clock_timestamp()) * 1000)::bigint as now),
swept as (delete from rate_windows using times where ends_at < now - $1)
select now from times`

/**
 * Counts in the windows of `source`. The columns `most` and `wanted` hold the values of the last
 * request, since the update can read them only from the row. Rows are locked in the order of their
 * names, which prevents deadlocks.
 */
const upsertSql = (source: string) => `
insert into rate_windows as known (name, ends_at, used, used_before, most, wanted)
select name, ends_at, least(most, wanted), 0, most, wanted
from ${source}
order by name, ends_at
on conflict (name, ends_at) do update set
  used_before = known.used,
  used = least(known.used + excluded.wanted, greatest(excluded.most, known.used)),
  most = excluded.most,
  wanted = excluded.wanted
returning name, ends_at, used, used_before`

const TAKE_SQL = upsertSql(
  `unnest($1::text[], $2::bigint[], $3::integer[], $4::integer[])
    as asked (name, ends_at, most, wanted)`,
)

/**
 * Counts in the windows of the sublimits first, and then what they grant in the outer windows. So
 * every process locks rows in the same order. What the outer window does not grant stays counted in
 * a sublimit: the window is full then and refuses all requests of the sublimit anyway.
 */
const TAKE_WITH_SUBLIMITS_SQL = `
with asked as (
  select * from unnest(
    $1::text[], $2::bigint[], $3::integer[], $4::integer[], $5::text[], $6::integer[]
  ) with ordinality as asked (name, ends_at, most, wanted, sublimit, sublimit_most, place)
), sublimits as (
  ${upsertSql(
    `(select sublimit as name, ends_at, sublimit_most as most, wanted from asked
      where sublimit is not null) as sublimits_asked`,
  )}
), granted as (
  select asked.place, asked.name, asked.ends_at, asked.most,
    coalesce(sublimits.used - sublimits.used_before, asked.wanted) as wanted,
    sublimits.used_before as sublimit_used_before
  from asked left join sublimits
    on sublimits.name = asked.sublimit and sublimits.ends_at = asked.ends_at
), windows as (
  ${upsertSql(
    `(select name, ends_at, max(most) as most, sum(wanted)::integer as wanted from granted
      group by name, ends_at) as windows_asked`,
  )}
)
select name, ends_at, windows.used, windows.used_before, granted.wanted as granted,
  granted.sublimit_used_before
from granted join windows using (name, ends_at)
order by place`

interface RateWindowRequest {
  name: string
  /** When the minute ends, in milliseconds since 1970. */
  end: number
  limit: number
  wanted: number
  /** Counted in this window as well; the smaller rest decides. */
  sublimit?: { name: string; limit: number } | undefined
}

interface RateWindowResult {
  used: number
  sublimitUsed: number
  taken: number
}

interface RateWindowRow {
  name: string
  ends_at: number
  used: number
  used_before: number
}

interface SublimitRow extends RateWindowRow {
  /** What the sublimit grants, or what was wanted without one. */
  granted: number
  sublimit_used_before: number | null
}

/**
 * Counts the current minute in PostgreSQL, for all processes that serve it. Counts are exact, because
 * a row is locked while it changes. The table is unlogged: a crash of the database loses the
 * counts of the minute. `onTime` receives the time of PostgreSQL once a minute.
 */
export function createRateWindows(url: string, onTime: (ms: number) => void = () => {}) {
  const pool = openPostgresPool({ url, maxConnections: CONNECTIONS, isPrimary: true })
  const names = createStatementNames()
  /** The end of the minute in which this process has swept last. */
  let sweptIn = 0

  /** Runs once a minute in each process; running twice is harmless. */
  async function sweep(): Promise<void> {
    const { rows } = await pool.query<{ now: number }>(SWEEP_SQL, [RETENTION_MS])
    for (const { now } of rows) onTime(now)
  }

  async function upsertWindows<R extends RateWindowRow>(
    text: string,
    values: unknown[],
  ): Promise<R[]> {
    const run = async () => (await pool.query<R>({ ...names.nameOf(text), text, values })).rows
    return run().catch((error) => {
      if (names.disableIfRejected(error)) return run()
      throw error
    })
  }

  return {
    ready: () => sweep().catch(() => {}),
    async take(requests: readonly RateWindowRequest[]): Promise<RateWindowResult[]> {
      const end = requests[0]?.end ?? 0
      if (end !== sweptIn) {
        sweptIn = end
        sweep().catch(() => {})
      }
      const values = [
        requests.map(({ name }) => name),
        requests.map((one) => one.end),
        requests.map(({ limit }) => limit),
        requests.map(({ wanted }) => wanted),
      ]
      if (requests.some(({ sublimit }) => sublimit)) {
        const sublimits = [
          requests.map(({ sublimit }) => sublimit?.name ?? null),
          requests.map(({ sublimit }) => sublimit?.limit ?? null),
        ]
        return shareGrants(
          await upsertWindows<SublimitRow>(TAKE_WITH_SUBLIMITS_SQL, [...values, ...sublimits]),
        )
      }
      const rows = await upsertWindows<RateWindowRow>(TAKE_SQL, values)
      const given = new Map(rows.map((row) => [`${row.name} ${row.ends_at}`, row]))
      return requests.map(({ name, end }) => {
        const { used = 0, used_before = 0 } = given.get(`${name} ${end}`) ?? {}
        return { used, sublimitUsed: 0, taken: used - used_before }
      })
    },
    close: () => pool.end(),
  }
}

/** Shares what each window granted among the requests for it, in their order. */
function shareGrants(rows: readonly SublimitRow[]): RateWindowResult[] {
  const usedSoFar = new Map<string, number>()
  return rows.map(({ name, ends_at, used, used_before, granted, sublimit_used_before }) => {
    const key = `${name} ${ends_at}`
    const before = usedSoFar.get(key) ?? used_before
    const taken = Math.min(granted, used - before)
    usedSoFar.set(key, before + taken)
    return { used: before + taken, sublimitUsed: (sublimit_used_before ?? 0) + taken, taken }
  })
}
