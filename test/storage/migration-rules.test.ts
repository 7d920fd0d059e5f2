import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { MIGRATIONS, type Migration } from '#db/migrate/migrations.ts'
import { minCodeVersionFor } from '#db/migrate/schema-version.ts'
import { findMigrationErrors } from '../support/migrations/migration-rules.ts'
import { NEXT_MIGRATIONS } from '../support/migrations/next-release-migrations.ts'

const createMigration = (sql: string, contracts?: string): Migration => ({
  name: 'new',
  sql,
  ...(contracts !== undefined && { contracts }),
})

test('no migration blocks writers or removes what the previous release needs', () => {
  const checked = [...MIGRATIONS, ...NEXT_MIGRATIONS]
  assert.deepEqual(
    checked.flatMap((migration) => findMigrationErrors(migration)),
    [],
  )
  minCodeVersionFor(MIGRATIONS.length)
})

const MISTAKES = [
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

test('detects each mistake, and accepts correct migrations', () => {
  for (const sql of MISTAKES)
    assert.equal(findMigrationErrors(createMigration(`${sql};`)).length, 1, sql)
  const fill = { name: 'new', fill: "update tasks set priority = 'none'" }
  assert.equal(findMigrationErrors(fill).length, 1)
  const correct = [
    createMigration(
      'create table x (id text primary key, n integer); create index x_n on x (n); delete from x;',
    ),
    createMigration(
      "alter table tasks add column x text not null default ''; alter table tasks add y integer;",
    ),
    createMigration('alter table tasks add constraint few check (number < 9) not valid;'),
    createMigration('alter table tasks validate constraint few;'),
    createMigration('alter table tasks add constraint one unique using index tasks_one;'),
    createMigration(
      'alter table tasks set (fillfactor = 80); alter table tasks drop constraint few;',
    ),
    createMigration(
      'alter table tasks drop column metadata; drop table tags;',
      '0001-first-schema',
    ),
    createMigration(
      'create function f() returns trigger as $$ begin delete from tasks; end $$ language plpgsql;',
    ),
    createMigration("insert into applications (id) values ('app_1');"),
  ]
  assert.deepEqual(
    correct.flatMap((migration) => findMigrationErrors(migration)),
    [],
  )
})

test('no statement selects all columns of a table: a newer release may have added one', () => {
  const files = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'))
  assert.ok(files.length > 200)
  const ALL_COLUMNS = /(selectFrom|innerJoin|leftJoin)\('\w+'\)\s*\.selectAll\(|\.returningAll\(/
  assert.deepEqual(
    files.filter((file) => ALL_COLUMNS.test(readFileSync(file, 'utf8'))),
    [],
  )
  assert.match("db.selectFrom('replays')\n  .selectAll()", ALL_COLUMNS)
})
