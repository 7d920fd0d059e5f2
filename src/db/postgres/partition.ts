import type pg from 'pg'
import { MIGRATION_LOCK_ID } from '../migrate/migrate-postgres.ts'
import { MIGRATIONS } from '../migrate/migrations.ts'
import { renderMigrationSql } from '../migrate/schema-version.ts'
import { NO_QUERY_TIMEOUT, openPostgresPool } from './pool.ts'
import { classifyPostgresError } from './session.ts'

/**
 * The tables that `docket partition` splits: those that grow with activity. A request reads at most one
 * row or one page of them. Tasks and the tables joined to them are not partitioned, since that would
 * slow down every request (docs/decisions/0032).
 */
export const PARTITIONED_TABLES = ['events', 'deliveries', 'delivery_attempts', 'activity'] as const

/** The definition of a table: everything except its rows. */
export interface TableDefinition {
  /** The number of partitions; 0 if it is not partitioned. */
  parts: number
  /** Every property that partitioning must preserve, one per line. */
  summary: string
  /** The role, quoted for SQL. */
  owner: string
  /** `with (…)`, or an empty string. */
  storage: string
  /** Foreign keys of other tables that reference it. */
  references: { name: string; of: string }[]
  /** Statements that recreate indexes, constraints, foreign keys in both directions and grants. */
  rebuildStatements: { name: string; sql: string }[]
  /** All tables that must be locked to replace it, in a fixed order. */
  tablesToLock: string[]
}

/** Reads the definition of a table from the system catalogs. */
export async function readTableDefinition(
  client: pg.PoolClient,
  table: string,
): Promise<TableDefinition> {
  const select = async <T extends object = DefinitionLine>(text: string) =>
    (await client.query<T>({ ...NO_QUERY_TIMEOUT, text, values: [table] })).rows
  const [row] = await select<{ parts: string; owner: string }>(TABLE_SQL)
  if (!row) throw new Error(`There is no table ${table}.`)
  const columns = await select(COLUMNS_SQL)
  const options = await select(OPTIONS_SQL)
  const made = await select(REBUILD_SQL)
  const others = await select(OTHER_PROPERTIES_SQL)
  const storage = options.map(({ name, sql }) => `${name} = ${sql}`).join(', ')
  return {
    parts: Number(row.parts),
    summary: [...columns, ...options, ...made, ...others].map(formatLine).join('\n'),
    owner: row.owner,
    storage: storage && `with (${storage})`,
    references: made.filter(({ kind }) => kind === 'reference'),
    rebuildStatements: made,
    tablesToLock: (await select(TABLES_TO_LOCK_SQL)).map(({ name }) => name),
  }
}

interface DefinitionLine {
  kind: string
  name: string
  of: string
  sql: string
}

const formatLine = ({ kind, name, of, sql }: DefinitionLine) =>
  [kind, of, name, sql].filter(Boolean).join(' ')

const TABLE_OID = 'to_regclass(quote_ident($1))'

const TABLE_SQL = `select relowner::regrole::text as owner,
    (select count(*) from pg_inherits where inhparent = pg_class.oid) as parts
  from pg_class where oid = ${TABLE_OID}`

const COLUMNS_SQL = `select 'column' as kind, attname as name, '' as of, concat_ws(' ',
    format_type(atttypid, atttypmod), attcollation::regcollation, attstorage, attcompression,
    attgenerated, attidentity, pg_get_expr(adbin, adrelid), attacl) as sql
  from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
  where attrelid = ${TABLE_OID} and attnum > 0 and not attisdropped order by attnum`

/** A partitioned table has no storage of its own, so the options are those of its partitions. */
const OPTIONS_SQL = `select 'option' as kind, prefix || option_name as name, '' as of, option_value as sql
  from pg_class as stored
  cross join lateral (
    select '' as prefix, stored.reloptions as options
    union all
    select 'toast.', reloptions from pg_class where oid = stored.reltoastrelid
  ) said
  cross join lateral pg_options_to_table(options)
  where stored.oid = coalesce((
    select inhrelid from pg_inherits where inhparent = ${TABLE_OID} order by inhrelid limit 1), ${TABLE_OID})
  order by name`

/** A constraint creates its own index; `not null` is copied with the columns. */
const REBUILD_SQL = `
  select 1 as turn, 'index' as kind, relname as name, '' as of,
    replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') as sql
  from pg_index join pg_class on pg_class.oid = indexrelid
  where indrelid = ${TABLE_OID} and not exists (
    select 1 from pg_constraint where conindid = indexrelid and contype in ('p', 'u', 'x'))
  union all
  select case contype when 'f' then 2 else 0 end, 'constraint', conname, '',
    format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
  from pg_constraint
  where conrelid = ${TABLE_OID} and contype in ('p', 'u', 'x', 'f') and conparentid = 0
  union all
  select 3, 'reference', conname, conrelid::regclass::text,
    format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
  from pg_constraint where confrelid = ${TABLE_OID} and contype = 'f' and conparentid = 0
  union all
  select 4, 'right', privilege_type, grantee::text,
    format('grant %s on table %s to %s%s', privilege_type, oid::regclass,
      case grantee when 0 then 'public' else grantee::regrole::text end,
      case when is_grantable then ' with grant option' else '' end)
  from pg_class cross join lateral aclexplode(relacl) where oid = ${TABLE_OID}
  order by turn, name, sql`

/** Properties that are not recreated: their loss has to be detected. */
const OTHER_PROPERTIES_SQL = `
  select 'constraint' as kind, conname as name, '' as of, pg_get_constraintdef(oid) as sql
  from pg_constraint where conrelid = ${TABLE_OID} and contype in ('c', 'n')
  union all
  select 'owner', relowner::regrole::text, '', '' from pg_class where oid = ${TABLE_OID}
  union all
  select 'trigger', tgname, '', pg_get_triggerdef(oid)
  from pg_trigger where tgrelid = ${TABLE_OID} and not tgisinternal
  union all
  select 'policy', polname, '', pg_get_expr(polqual, polrelid) from pg_policy where polrelid = ${TABLE_OID}
  union all
  select 'row security', 'on', '', '' from pg_class where oid = ${TABLE_OID} and relrowsecurity
  union all
  select 'statistics', stxname, '', stxkeys::text from pg_statistic_ext where stxrelid = ${TABLE_OID}
  union all
  select 'publication', pubname, '', '' from pg_publication_rel
    join pg_publication on pg_publication.oid = prpubid where prrelid = ${TABLE_OID}
  union all
  select 'unlogged', relname, '', '' from pg_class where oid = ${TABLE_OID} and relpersistence <> 'p'
  union all
  select 'comment', objsubid::text, '', description from pg_description
  where classoid = 'pg_class'::regclass and objoid = ${TABLE_OID}
  order by kind, name`

const TABLES_TO_LOCK_SQL = `select distinct one::regclass::text as name
  from (
    select ${TABLE_OID} as one
    union select conrelid from pg_constraint where confrelid = ${TABLE_OID} and contype = 'f'
    union select confrelid from pg_constraint where conrelid = ${TABLE_OID} and contype = 'f'
  ) of join pg_class on pg_class.oid = one
  where not relispartition order by name`

/** Creates the tables of a schema version in an empty database. */
export async function createPostgresTables(db: pg.ClientBase, version: number): Promise<void> {
  await db.query({
    ...NO_QUERY_TIMEOUT,
    text: 'create table schema_version (version integer not null)',
  })
  for (const [at, migration] of MIGRATIONS.slice(0, version).entries()) {
    // The loaded rows are in their latest state, so backfills are skipped.
    if (!('fill' in migration))
      await db.query({ ...NO_QUERY_TIMEOUT, text: renderMigrationSql(migration, 'postgres') })
    const values = [at + 1]
    await db.query({ ...NO_QUERY_TIMEOUT, text: 'insert into schema_version values ($1)', values })
  }
}

/**
 * The tables that a schema version has, without unlogged ones. Other tables in the same database
 * belong to other programs.
 */
export const docketTables = (version: number): string[] =>
  MIGRATIONS.slice(0, version)
    .flatMap((migration) => [
      ...renderMigrationSql(migration, 'postgres').matchAll(/^\s*create table (\w+)/gm),
    ])
    .map(([, table = '']) => table)
    .toSorted()

/** Lists the foreign keys: their tables, names and definitions. */
export const LIST_FOREIGN_KEYS_SQL = `select conrelid::regclass::text as of, conname as name,
    pg_get_constraintdef(oid) as is from pg_constraint
  where contype = 'f' and conparentid = 0 and connamespace = current_schema()::regnamespace`

/** A table that is partitioned now, or was before. */
export interface PartitionResult {
  table: string
  parts: number
  rows: number
}

export interface PartitionOptions {
  url: string
  tables: readonly string[]
  parts: number
  /** Reports progress: the table and the step. */
  onProgress(what: string): void
}

/** Running servers can cause a deadlock while it takes its locks; it is rolled back and retried. */
const MAX_TRIES = 10
/** Pages of 8 kB that one statement copies. */
const PAGES_PER_COPY = 16_384

/**
 * Partitions tables of a PostgreSQL database by a hash of `workspace_id`. Each table is copied in one
 * transaction under exclusive locks: a killed run leaves the table unchanged, and the next run
 * continues. A table that is already partitioned is skipped. Throws if any property or row of a table
 * would be lost.
 */
export async function partitionPostgres({
  url,
  tables,
  ...options
}: PartitionOptions): Promise<PartitionResult[]> {
  const pool = openPostgresPool({ url, maxConnections: 1 })
  try {
    const client = await pool.connect()
    try {
      await client.query('set statement_timeout = 0; set lock_timeout = 0')
      await client.query('set idle_in_transaction_session_timeout = 0')
      const results: PartitionResult[] = []
      for (const table of tables) results.push(await partitionTable({ client, table, ...options }))
      return results
    } finally {
      client.release(true)
    }
  } finally {
    await pool.end()
  }
}

interface PartitionTask extends Omit<PartitionOptions, 'url' | 'tables'> {
  client: pg.PoolClient
  table: string
}

async function partitionTable(task: PartitionTask): Promise<PartitionResult> {
  for (let tries = 1; ; tries += 1) {
    try {
      await task.client.query('begin')
      const parted = await partitionLockedTable(task)
      await task.client.query('commit')
      return parted
    } catch (error) {
      await task.client.query('rollback')
      if (classifyPostgresError(error) !== 'again' || tries === MAX_TRIES) throw error
    }
  }
}

async function partitionLockedTable(task: PartitionTask): Promise<PartitionResult> {
  const { client, table, parts, onProgress } = task
  onProgress(`${table}: waiting for its lock`)
  await run(client, `select pg_advisory_xact_lock(${MIGRATION_LOCK_ID})`)
  const before = await readTableDefinition(client, table)
  if (before.parts > 0) {
    const [{ rows } = {}] = await run(client, `select count(*) as rows from "${table}"`)
    return { table, parts: before.parts, rows: Number(rows) }
  }
  for (const name of before.tablesToLock)
    await run(client, `lock table ${name} in access exclusive mode`)
  const sum = await checksumTable(task)
  const draft = await createDraft(task, before)
  await copyRows(task, draft)
  await replaceTable(task, draft, before)
  const copied = await checksumTable(task)
  if (copied.rows !== sum.rows || copied.sum !== sum.sum) {
    throw new Error(
      `The copy of ${table} differs: ${sum.rows} rows before, ${copied.rows} after. Nothing was changed.`,
    )
  }
  const after = await readTableDefinition(client, table)
  if (after.summary !== before.summary) {
    throw new Error(
      `The definition of ${table} would change. Before:\n${before.summary}\n` +
        `After:\n${after.summary}`,
    )
  }
  await run(client, `analyze "${table}"`)
  return { table, parts, rows: Number(copied.rows) }
}

const run = async (client: pg.PoolClient, text: string): Promise<Record<string, unknown>[]> =>
  (await client.query({ ...NO_QUERY_TIMEOUT, text })).rows

/** The row count and a checksum of the contents that does not depend on the order of rows. */
async function checksumTable({ client, table, onProgress }: PartitionTask) {
  onProgress(`${table}: computing checksum`)
  const [checksum = {}] = await run(
    client,
    `select count(*) as rows, sum(hashtextextended(t::text, 0))::text as sum from "${table}" t`,
  )
  return checksum
}

/**
 * Creates the partitioned table beside the original. The partitions get the same owner, because
 * migrations change them too.
 */
async function createDraft(
  { client, table, parts }: PartitionTask,
  shape: TableDefinition,
): Promise<string> {
  const draft = `${table}_split`
  await run(
    client,
    `create table "${draft}" (like "${table}" including all excluding indexes)
      partition by hash (workspace_id)`,
  )
  await run(client, `alter table "${draft}" owner to ${shape.owner}`)
  for (let part = 0; part < parts; part += 1) {
    const name = `${table}_p${String(part).padStart(String(parts - 1).length, '0')}`
    await run(
      client,
      `create table "${name}" partition of "${draft}"
        for values with (modulus ${parts}, remainder ${part}) ${shape.storage}`,
    )
    await run(client, `alter table "${name}" owner to ${shape.owner}`)
  }
  return draft
}

/** Copies the rows in physical order. */
async function copyRows(
  { client, table, onProgress }: PartitionTask,
  draft: string,
): Promise<void> {
  const [size] = await run(client, `select pg_relation_size('"${table}"') / 8192 as pages`)
  const pages = Number(size?.pages)
  for (let page = 0; page < pages; page += PAGES_PER_COPY) {
    onProgress(`${table}: copied ${Math.round((100 * page) / pages)} %`)
    await run(
      client,
      `insert into "${draft}" select * from "${table}"
        where ctid >= '(${page},0)' and ctid < '(${page + PAGES_PER_COPY},0)'`,
    )
  }
}

/** Replaces the table with the draft and recreates its indexes, constraints and grants. */
async function replaceTable(
  { client, table, onProgress }: PartitionTask,
  draft: string,
  shape: TableDefinition,
) {
  for (const { name, of } of shape.references) {
    await run(client, `alter table ${of} drop constraint "${name}"`)
  }
  await run(client, `drop table "${table}"`)
  await run(client, `alter table "${draft}" rename to "${table}"`)
  for (const [at, { name, sql }] of shape.rebuildStatements.entries()) {
    onProgress(
      `${table}: ${name} (${at + 1} of ${shape.rebuildStatements.length} indexes and references)`,
    )
    await run(client, sql)
  }
}
