import type pg from 'pg'
import { NO_QUERY_TIMEOUT } from './pool.ts'

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
