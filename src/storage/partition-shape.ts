import type pg from 'pg'
import { PATIENT } from './postgres-pool.ts'

/** What a table is beside its rows. */
export interface Shape {
  /** 0: it is whole. */
  parts: number
  /** Everything that has to be the same in parts, a line each. */
  told: string
  /** As it is written in SQL. */
  owner: string
  /** `with (…)`, or nothing. */
  storage: string
  /** References of other tables to it. */
  references: { name: string; of: string }[]
  /** What makes its indexes, constraints, references in both directions, and rights anew, in order. */
  made: { name: string; sql: string }[]
  /** All tables that have to be locked to replace it, in one order for all. */
  touched: string[]
}

/** What PostgreSQL knows of a table of Docket. */
export async function shapeOf(client: pg.PoolClient, table: string): Promise<Shape> {
  const ask = async <T extends object = Line>(text: string) =>
    (await client.query<T>({ ...PATIENT, text, values: [table] })).rows
  const [found] = await ask<{ parts: string; owner: string }>(FOUND)
  if (!found) throw new Error(`There is no table ${table}.`)
  const columns = await ask(COLUMNS)
  const options = await ask(OPTIONS)
  const made = await ask(MADE)
  const others = await ask(OTHERS)
  const storage = options.map(({ name, sql }) => `${name} = ${sql}`).join(', ')
  return {
    parts: Number(found.parts),
    told: [...columns, ...options, ...made, ...others].map(lineOf).join('\n'),
    owner: found.owner,
    storage: storage && `with (${storage})`,
    references: made.filter(({ kind }) => kind === 'reference'),
    made,
    touched: (await ask(TOUCHED)).map(({ name }) => name),
  }
}

interface Line {
  kind: string
  name: string
  of: string
  sql: string
}

const lineOf = ({ kind, name, of, sql }: Line) => [kind, of, name, sql].filter(Boolean).join(' ')

const OF = 'to_regclass(quote_ident($1))'

const FOUND = `select relowner::regrole::text as owner,
    (select count(*) from pg_inherits where inhparent = pg_class.oid) as parts
  from pg_class where oid = ${OF}`

const COLUMNS = `select 'column' as kind, attname as name, '' as of, concat_ws(' ',
    format_type(atttypid, atttypmod), attcollation::regcollation, attstorage, attcompression,
    attgenerated, attidentity, pg_get_expr(adbin, adrelid), attacl) as sql
  from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
  where attrelid = ${OF} and attnum > 0 and not attisdropped order by attnum`

/** A table in parts stores nothing itself: what it says is said of its parts. */
const OPTIONS = `select 'option' as kind, prefix || option_name as name, '' as of, option_value as sql
  from pg_class as stored
  cross join lateral (
    select '' as prefix, stored.reloptions as options
    union all
    select 'toast.', reloptions from pg_class where oid = stored.reltoastrelid
  ) said
  cross join lateral pg_options_to_table(options)
  where stored.oid = coalesce((
    select inhrelid from pg_inherits where inhparent = ${OF} order by inhrelid limit 1), ${OF})
  order by name`

/** A constraint that an index serves makes its index; what is not null comes with the columns. */
const MADE = `
  select 1 as turn, 'index' as kind, relname as name, '' as of,
    replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') as sql
  from pg_index join pg_class on pg_class.oid = indexrelid
  where indrelid = ${OF} and not exists (
    select 1 from pg_constraint where conindid = indexrelid and contype in ('p', 'u', 'x'))
  union all
  select case contype when 'f' then 2 else 0 end, 'constraint', conname, '',
    format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
  from pg_constraint
  where conrelid = ${OF} and contype in ('p', 'u', 'x', 'f') and conparentid = 0
  union all
  select 3, 'reference', conname, conrelid::regclass::text,
    format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
  from pg_constraint where confrelid = ${OF} and contype = 'f' and conparentid = 0
  union all
  select 4, 'right', privilege_type, grantee::text,
    format('grant %s on table %s to %s%s', privilege_type, oid::regclass,
      case grantee when 0 then 'public' else grantee::regrole::text end,
      case when is_grantable then ' with grant option' else '' end)
  from pg_class cross join lateral aclexplode(relacl) where oid = ${OF}
  order by turn, name, sql`

/** What is not made anew by hand, and so would be missed if it were lost. */
const OTHERS = `
  select 'constraint' as kind, conname as name, '' as of, pg_get_constraintdef(oid) as sql
  from pg_constraint where conrelid = ${OF} and contype in ('c', 'n')
  union all
  select 'owner', relowner::regrole::text, '', '' from pg_class where oid = ${OF}
  union all
  select 'trigger', tgname, '', pg_get_triggerdef(oid)
  from pg_trigger where tgrelid = ${OF} and not tgisinternal
  union all
  select 'policy', polname, '', pg_get_expr(polqual, polrelid) from pg_policy where polrelid = ${OF}
  union all
  select 'row security', 'on', '', '' from pg_class where oid = ${OF} and relrowsecurity
  union all
  select 'statistics', stxname, '', stxkeys::text from pg_statistic_ext where stxrelid = ${OF}
  union all
  select 'publication', pubname, '', '' from pg_publication_rel
    join pg_publication on pg_publication.oid = prpubid where prrelid = ${OF}
  union all
  select 'unlogged', relname, '', '' from pg_class where oid = ${OF} and relpersistence <> 'p'
  union all
  select 'comment', objsubid::text, '', description from pg_description
  where classoid = 'pg_class'::regclass and objoid = ${OF}
  order by kind, name`

const TOUCHED = `select distinct one::regclass::text as name
  from (
    select ${OF} as one
    union select conrelid from pg_constraint where confrelid = ${OF} and contype = 'f'
    union select confrelid from pg_constraint where conrelid = ${OF} and contype = 'f'
  ) of join pg_class on pg_class.oid = one
  where not relispartition order by name`
