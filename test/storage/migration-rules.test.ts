import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { oldestFor } from '#storage/migrate.ts'
import { MIGRATIONS, type Migration } from '#storage/migrations.ts'
import { mistakesIn } from '../support/migration-rules.ts'
import { NEXT } from '../support/releases.ts'

/** Those up to here were made for servers that were stopped, and are never edited. */
const STOPPED = '0010-notices'

const change = (sql: string, contracts?: string): Migration => ({
  name: 'new',
  sql,
  ...(contracts !== undefined && { contracts }),
})

test('no migration keeps those waiting who write, or takes away what the release before needs', () => {
  const from = MIGRATIONS.findIndex(({ name }) => name === STOPPED) + 1
  assert.ok(from > 0)
  const ruled = [...MIGRATIONS.slice(from), ...NEXT]
  assert.deepEqual(
    ruled.flatMap((migration) => mistakesIn(migration)),
    [],
  )
  oldestFor(MIGRATIONS.length)
})

const WRONG = [
  'create index tasks_x on tasks (x)',
  'create unique index tasks_x on tasks (x)',
  "update tasks set priority = 'none'",
  'delete from tasks',
  'insert into others select id from tasks',
  'alter table tasks alter column number type bigint',
  'alter table tasks alter number set data type bigint',
  'alter table tasks alter column due_at set not null',
  'alter table tasks add constraint few check (number < 9)',
  'alter table tasks add foreign key (workspace_id) references workspaces',
  'alter table tasks add constraint one unique (x)',
  'alter table tasks add column x text not null',
  'alter table tasks add column x text default now()',
  'alter table tasks add column x bigint generated always as (number) stored',
  'truncate tasks',
  'lock table tasks',
  'drop table tags',
  'alter table tasks drop column metadata',
  'ALTER TABLE tasks\n  DROP COLUMN metadata',
  'alter table tasks rename column title to name',
]

test('each of these mistakes is found, where it is one', () => {
  for (const sql of WRONG) assert.equal(mistakesIn(change(`${sql};`)).length, 1, sql)
  const fill = { name: 'new', fill: "update tasks set priority = 'none'" }
  assert.equal(mistakesIn(fill).length, 1)
  const right = [
    change(
      'create table x (id text primary key, n integer); create index x_n on x (n); delete from x;',
    ),
    change(
      "alter table tasks add column x text not null default ''; alter table tasks add y integer;",
    ),
    change('alter table tasks add constraint few check (number < 9) not valid;'),
    change('alter table tasks validate constraint few;'),
    change('alter table tasks add constraint one unique using index tasks_one;'),
    change('alter table tasks set (fillfactor = 80); alter table tasks drop constraint few;'),
    change('alter table tasks drop column metadata; drop table tags;', '0010-notices'),
    change(
      'create function f() returns trigger as $$ begin delete from tasks; end $$ language plpgsql;',
    ),
    change("insert into applications (id) values ('app_1');"),
  ]
  assert.deepEqual(
    right.flatMap((migration) => mistakesIn(migration)),
    [],
  )
  const old = MIGRATIONS.slice(0, 10).flatMap((migration) => mistakesIn(migration))
  assert.ok(old.length >= 5, 'what was made for servers that were stopped')
})

test('no statement takes all columns of a table: a newer release may have added one', () => {
  const files = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'))
  assert.ok(files.length > 200)
  const ALL = /(selectFrom|innerJoin|leftJoin)\('\w+'\)\s*\.selectAll\(|\.returningAll\(/
  assert.deepEqual(
    files.filter((file) => ALL.test(readFileSync(file, 'utf8'))),
    [],
  )
  assert.match("db.selectFrom('replays')\n  .selectAll()", ALL)
})
