import type pg from 'pg'
import { PATIENT } from './postgres.ts'

/** What a table is beside its rows. */
export interface Shape {
  /** 0: it is whole. */
  parts: number
  /** Everything that has to be the same in parts, a line each. */
  told: string
  /** References of other tables to it. */
  references: { name: string; of: string }[]
  /** What makes its indexes, constraints, references in both directions, and rights anew, in order. */
  made: { name: string; sql: string }[]
  /** `with (…)`, or nothing. */
  storage: string
  /** All tables that have to be locked to replace it, in one order for all. */
  touched: string[]
}

export async function shapeOf(client: pg.PoolClient, table: string): Promise<Shape> {
  const ask = async (text: string) =>
    (await client.query({ ...PATIENT, text, values: [table] })).rows as Line[]
  const [found] = await ask(PARTS)
  if (!found) throw new Error(`There is no table ${table}.`)
  const [columns, options, made, others, touched] = [
    await ask(COLUMNS),
    await ask(OPTIONS),
    await ask(MADE),
    await ask(OTHERS),
    await ask(TOUCHED),
  ]
  const references = made.filter(({ kind }) => kind === 'reference')
  const texts = ({ name, sql }: Line) => ({ name, sql })
  const storage = options.map(({ name, sql }) => `${name} = ${sql}`).join(', ')
  return {
    parts: Number(found.sql),
    told: [...columns, ...options, ...made, ...others].map(lineOf).join('\n'),
    references: references.map(({ name, of }) => ({ name, of })),
    made: made.map(texts),
    storage: storage && `with (${storage})`,
    touched: touched.map(({ name }) => name),
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

const PARTS = `select (select count(*) from pg_inherits where inhparent = pg_class.oid) as sql
  from pg_class where oid = ${OF}`

const COLUMNS = `select 'column' as kind, attname as name, concat_ws(' ',
    format_type(atttypid, atttypmod), attcollation::regcollation::text, attstorage::text,
    case when attnotnull then 'not null' end, pg_get_expr(adbin, adrelid),
    attgenerated::text, attidentity::text, attacl::text) as sql
  from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
  where attrelid = ${OF} and attnum > 0 and not attisdropped order by attnum`

/** Of a table in parts they are those of its first part: a table without rows has none. */
const OPTIONS = `select 'option' as kind, of.prefix || option_name as name, option_value as sql
  from pg_class as first
  cross join lateral (
    select '' as prefix, first.reloptions as options
    union all
    select 'toast.', reloptions from pg_class where oid = first.reltoastrelid
  ) of
  cross join lateral pg_options_to_table(of.options)
  where first.oid = coalesce(
    (select min(inhrelid) from pg_inherits where inhparent = ${OF}), ${OF})
  order by 2`

/** A constraint that an index serves makes its index; not null comes with the columns. */
const MADE = `
  select 'index' as kind, relname as name, replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ')
    || case when indisclustered then ' clustered' else '' end as sql, '' as of, 1 as turn
  from pg_index join pg_class on pg_class.oid = indexrelid
  where indrelid = ${OF}
    and not exists (select 1 from pg_constraint where conindid = indexrelid and contype in ('p', 'u', 'x'))
  union all
  select 'constraint', conname, format('alter table %s add constraint %I %s',
    conrelid::regclass, conname, pg_get_constraintdef(oid)), '', case contype when 'f' then 2 else 0 end
  from pg_constraint where conrelid = ${OF} and contype in ('p', 'u', 'x', 'f') and conparentid = 0
  union all
  select 'reference', conname, format('alter table %s add constraint %I %s',
    conrelid::regclass, conname, pg_get_constraintdef(oid)), conrelid::regclass::text, 3
  from pg_constraint where confrelid = ${OF} and contype = 'f' and conparentid = 0
  union all
  select 'owner', pg_get_userbyid(relowner), format('alter table %s owner to %I',
    oid::regclass, pg_get_userbyid(relowner)), '', 4
  from pg_class where oid = ${OF}
  union all
  select 'right', privilege_type, format('grant %s on table %s to %s%s', privilege_type, oid::regclass,
    case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end,
    case when is_grantable then ' with grant option' else '' end), '', 5
  from pg_class cross join lateral aclexplode(relacl) where oid = ${OF}
  order by turn, name, sql`

/** What is not made anew, so that it has to be missed. */
const OTHERS = `
  select 'constraint' as kind, conname as name, pg_get_constraintdef(oid) as sql
  from pg_constraint where conrelid = ${OF} and contype in ('c', 'n')
  union all
  select 'trigger', tgname, pg_get_triggerdef(oid) from pg_trigger where tgrelid = ${OF} and not tgisinternal
  union all
  select 'policy', polname, pg_get_expr(polqual, polrelid) from pg_policy where polrelid = ${OF}
  union all
  select 'row security', 'on', '' from pg_class where oid = ${OF} and relrowsecurity
  union all
  select 'statistics', stxname, pg_get_statisticsobjdef(oid) from pg_statistic_ext where stxrelid = ${OF}
  union all
  select 'publication', pubname, '' from pg_publication_rel
    join pg_publication on pg_publication.oid = prpubid where prrelid = ${OF}
  union all
  select 'unlogged', '', '' from pg_class where oid = ${OF} and relpersistence <> 'p'
  union all
  select 'comment', objsubid::text, description from pg_description
    where classoid = 'pg_class'::regclass and objoid = ${OF}
  order by kind, name`

const TOUCHED = `select distinct one::regclass::text as name
  from (
    select ${OF} as one
    union select conrelid from pg_constraint where confrelid = ${OF} and contype = 'f'
    union select confrelid from pg_constraint where conrelid = ${OF} and contype = 'f'
  ) of join pg_class on pg_class.oid = of.one where not relispartition order by 1`
