import type { Migration } from '#db/migrate/migrations.ts'
import { renderMigrationSql } from '#db/migrate/schema-version.ts'

/** Forbidden statements, the reason, and what to write instead. */
const RULES: readonly { pattern: RegExp; why: string; whereContracted?: true }[] = [
  {
    pattern: /^create (unique )?index /,
    why: 'keeps writers waiting while it reads the table: make it an `index`',
  },
  {
    pattern: /^(update|delete from|insert into \S+ .*\bselect\b)/,
    why: 'holds the locks of all these rows to its end: make it a `fill`',
  },
  {
    pattern: /^alter table .* alter (column )?\S+ (set data )?type /,
    why: 'writes the table anew: add a column, fill it, and take the old one away a release later',
  },
  {
    pattern: /^alter table .* set not null/,
    why: 'reads the table under its lock: add a `check (… is not null) not valid`, then validate it',
  },
  {
    pattern: /^alter table .* add (constraint \S+ )?(foreign key|check)\b(?!.* not valid$)/,
    why: 'reads the table under its lock: say `not valid`, and validate it by the next migration',
  },
  {
    pattern:
      /^alter table .* add (constraint \S+ )?(unique|primary key|exclude)\b(?!.* using index )/,
    why: 'builds an index under the lock of the table: make it an `index`',
  },
  {
    pattern: /^alter table .* add (column )?\S+ (?!.*\bdefault\b).* not null/,
    why: 'the release before writes no such column: give it a default',
  },
  {
    pattern: /^alter table .* add (column )?\S+ .*\b(default [a-z_]+\(|generated |serial)/,
    why: 'writes the table anew: add it without, and fill it',
  },
  {
    pattern: /^(cluster|truncate|vacuum|reindex|lock table|refresh)\b/,
    why: 'keeps everybody out for as long as it takes',
  },
  {
    pattern:
      /^(drop (table|column|view|function)|alter table .* drop (?!constraint|not null|default|expression))/,
    why: 'the release before may use it: say from when on nothing does, by `contracts`',
    whereContracted: true,
  },
  {
    pattern: /^alter table .* rename /,
    why: 'the release before knows the old name: add the new one, and contract a release later',
    whereContracted: true,
  },
]

/**
 * Lists the statements of a migration that would break the previous release or block writers on
 * PostgreSQL. Tables that the migration itself creates are exempt.
 */
export function findMigrationErrors(migration: Migration): string[] {
  if ('index' in migration) return []
  if ('fill' in migration) {
    const isBatch = /^update\b/i.test(migration.fill) && migration.fill.includes('limit {batch}')
    return isBatch ? [] : [`${migration.name}: a fill is an UPDATE with \`limit {batch}\``]
  }
  const statements = statementsOf(renderMigrationSql(migration, 'postgres'))
  const createdTables = statements.flatMap(
    (one) => /^create (?:unlogged )?table (\S+)/.exec(one)?.[1] ?? [],
  )
  return statements.flatMap((statement) => {
    if (createdTables.some((table) => tableOf(statement) === table)) return []
    return RULES.filter(({ pattern, whereContracted }) => {
      return pattern.test(statement) && !(whereContracted && migration.contracts !== undefined)
    }).map(({ why }) => `${migration.name}: \`${statement.slice(0, 60)}\` ${why}`)
  })
}

/** Splits SQL into statements, each on one line in lower case, without function bodies. */
function statementsOf(sql: string): string[] {
  const bare = sql
    .replaceAll(/\$(\w*)\$.*?\$\1\$/gs, "''")
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/ collate "C"/g, '')
  return bare
    .split(';')
    .map((one) => one.trim().replaceAll(/\s+/g, ' ').toLowerCase())
    .filter((one) => one !== '')
}

/** The table that a statement changes. */
function tableOf(statement: string): string | undefined {
  const of =
    /^(?:alter table|drop table|update|delete from|insert into|truncate) (?:if exists |only )*(\w+)/
  return (of.exec(statement) ?? /^create (?:unique )?index .*? on (\w+)/.exec(statement))?.[1]
}
