import type pg from 'pg'
import { Slot } from '#db/core/statement.ts'

/**
 * Tables that cannot be distributed by workspace, and why. A database that shards the others over
 * several machines, such as Citus, would keep a full copy of these on each: reference tables.
 */
export const REFERENCE_TABLES: Record<string, string> = {
  installation: 'values of the whole installation',
  schema_version: 'the version of all tables',
  users: 'a person is in several workspaces',
  password_resets: 'of a person, found by a hash',
  attempts: 'of an address or an account',
  second_factors: 'of a person, who signs in before a workspace is known',
  recovery_codes: 'of a person',
  passkeys: 'of a person, found by what a browser sends',
  company_links: 'of a person, found by what a provider tells',
  sign_in_steps: 'of a browser, found by a hash',
  sessions: 'of a person, found by a hash before the workspace is known; moves between workspaces',
  api_keys: 'found by a hash before the workspace is known',
  invitations: 'found by a hash before the workspace is known',
  applications: 'of the whole installation or of a workspace, found by an id that others name',
  grants: 'found by an id before the workspace is known',
  oauth_records: 'found by a hash before the workspace is known',
  dispatchers: 'processes',
  limit_processes: 'processes of earlier releases, which counted themselves here',
  rate_windows: 'counters of a minute, by names; PostgreSQL may forget them',
}

/** The distribution column of a table. */
export const distributionColumnOf = (table: string) =>
  table === 'workspaces' ? 'id' : 'workspace_id'

/**
 * Lists the parts of the schema that prevent distribution by workspace. `outward` has the foreign
 * keys from reference tables to distributed ones, which are known and listed by the test.
 */
export async function findUndistributable(
  client: pg.Client,
): Promise<{ faults: string[]; outward: string[] }> {
  const ask = async <T extends object>(sql: string) => (await client.query<T>(sql)).rows
  const spread = new Map<string, boolean>()
  for (const { name, has } of await ask<{ name: string; has: boolean }>(TABLES)) {
    spread.set(name, !(name in REFERENCE_TABLES) && (name === 'workspaces' || has))
  }
  const faults: string[] = []
  const outward: string[] = []
  for (const [name, isSpread] of spread) {
    if (!isSpread && !(name in REFERENCE_TABLES)) faults.push(`${name} has no workspace_id`)
  }
  for (const name of Object.keys(REFERENCE_TABLES))
    if (!spread.has(name)) faults.push(`${name} is no table`)
  for (const { name, of, columns } of await ask<UniqueConstraint>(UNIQUE)) {
    if (spread.get(of) && !columns.includes(distributionColumnOf(of)))
      faults.push(`${name} of ${of} is unique without it`)
  }
  for (const { name, of, to, columns, others } of await ask<ForeignKeyConstraint>(FOREIGN)) {
    if (!spread.get(to)) continue
    const at = columns.indexOf(distributionColumnOf(of))
    if (!spread.get(of)) outward.push(`${of} → ${to}`)
    else if (at < 0 || others[at] !== distributionColumnOf(to))
      faults.push(`${name} of ${of} crosses workspaces`)
  }
  return { faults, outward: outward.toSorted() }
}

interface UniqueConstraint {
  name: string
  of: string
  columns: string[]
}

interface ForeignKeyConstraint extends UniqueConstraint {
  to: string
  others: string[]
}

const TABLES = `select relname as name, attname is not null as has from pg_class
  left join pg_attribute on attrelid = pg_class.oid and attname = 'workspace_id' and not attisdropped
  where relnamespace = 'public'::regnamespace and relkind = 'r'`

const columnsOf = (table: string, numbers: string) => `array(select attname::text
  from unnest(${numbers}) with ordinality as at (n, turn)
  join pg_attribute on attrelid = ${table} and attnum = n order by turn)`

const UNIQUE = `select indexrelid::regclass::text as name, relname as of,
    ${columnsOf('indrelid', 'indkey::smallint[]')} as columns
  from pg_index join pg_class on pg_class.oid = indrelid
  where (indisunique or indisexclusion) and relnamespace = 'public'::regnamespace`

const FOREIGN = `select conname as name, conrelid::regclass::text as of, confrelid::regclass::text as to,
    ${columnsOf('conrelid', 'conkey')} as columns, ${columnsOf('confrelid', 'confkey')} as others
  from pg_constraint join pg_class on pg_class.oid = conrelid
  where contype = 'f' and conparentid = 0 and relnamespace = 'public'::regnamespace`

/** A node of a query plan, as `explain (verbose, format json)` prints it. */
export interface ExplainedPlan {
  'Node Type': string
  'Parent Relationship'?: string
  'Relation Name'?: string
  Alias?: string
  Operation?: string
  Output?: string[]
  'Index Cond'?: string
  'Recheck Cond'?: string
  'Hash Cond'?: string
  'Merge Cond'?: string
  'Join Filter'?: string
  Filter?: string
  Plans?: ExplainedPlan[]
}

/** A plan node and all of its descendants. */
export const flattenPlan = (plan: ExplainedPlan): ExplainedPlan[] => [
  plan,
  ...(plan.Plans ?? []).flatMap(flattenPlan),
]

/**
 * Lists the tables that a plan reads or writes without restricting them to one workspace, either by
 * the workspace's parameter or by joining a row that is restricted. `attnums` has the position of
 * the distribution column in each table, by which inserted rows are checked.
 */
export function findUnboundTables(
  plan: ExplainedPlan,
  values: readonly unknown[],
  attnums: ReadonlyMap<string, number>,
  joined = '',
): string[] {
  const { Alias: alias = '', Operation: operation, Plans: below = [] } = plan
  const [table, attnum] = [plan['Relation Name'] ?? '', attnums.get(plan['Relation Name'] ?? '')]
  const joins = [joined, plan['Hash Cond'], plan['Merge Cond'], plan['Join Filter']].join(' ')
  const found = below.flatMap((one) => findUnboundTables(one, values, attnums, joins))
  if (attnum === undefined) return found
  if (plan['Node Type'] === 'ModifyTable') {
    if (operation !== 'Insert') return found
    const rows = below.find((one) => one['Parent Relationship'] === 'Outer')
    const value = rows?.Output?.[attnum - 1] ?? ''
    return isOfWorkspace(value, values) ? found : [...found, `insert into ${table}`]
  }
  const conditions = [joins, plan['Index Cond'], plan['Recheck Cond'], plan.Filter].join(' ')
  const own = new RegExp(`^("?${alias}"?\\.)?${distributionColumnOf(table)}$`)
  const others = [...conditions.matchAll(EQUAL)].flatMap(([, left = '', right = '']) =>
    own.test(left) ? [right] : own.test(right) ? [left] : [],
  )
  return others.some((other) => isOfWorkspace(other, values)) ? found : [...found, table]
}

const EQUAL = /\(([\w".]+) = \(?([\w".$]+)(?:\)::text)?\)/g

function isOfWorkspace(text: string, values: readonly unknown[]): boolean {
  const slot = values[Number(/^\(?\$(\d+)(?:\)?::text)?$/.exec(text)?.[1]) - 1]
  if (slot instanceof Slot) return slot.name === 'workspace_id'
  return /^("?\w+"?\.)?workspace_id$|^workspaces\.id$/.test(text)
}

/** The result row of `explain (format json)`. */
export interface ExplainRow {
  'QUERY PLAN': { Plan: ExplainedPlan }[]
}

/** Reads the attribute number of the distribution column of each distributed table. */
export async function readDistributionAttnums(
  client: pg.Client,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await client.query<{ name: string; attnum: number }>(ATTNUMS, [
    Object.keys(REFERENCE_TABLES),
  ])
  return new Map(rows.map(({ name, attnum }) => [name, attnum]))
}

const ATTNUMS = `select relname as name, attnum from pg_class
  join pg_attribute on attrelid = pg_class.oid
    and attname = case relname when 'workspaces' then 'id' else 'workspace_id' end
  where relnamespace = 'public'::regnamespace and relkind = 'r'
    and relname <> all($1)`
