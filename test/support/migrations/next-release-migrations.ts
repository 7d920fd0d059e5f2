import { MIGRATIONS, type Migration } from '#db/migrate/migrations.ts'

/** The number of migrations of this release, which plays the previous one in tests. */
export const CURRENT_MIGRATION_COUNT = MIGRATIONS.length

/** The migrations of a fictional next release, one of each kind. */
export const NEXT_MIGRATIONS: Migration[] = [
  {
    name: 'next-1-effort',
    sql: `
alter table tasks add column effort integer;
alter table workspaces add column motto text not null default '';
alter table events add column effort integer;`,
  },
  {
    name: 'next-2-efforts',
    fill: `update tasks set effort = version where effort is null and (workspace_id, id) in (
      select workspace_id, id from tasks where effort is null limit {batch})`,
  },
  {
    name: 'next-3-effort-index',
    index: { name: 'tasks_effort', table: 'tasks', columns: '(workspace_id, effort, id)' },
  },
]

/** Adds migrations to this process for the rest of its life, as if it were a later release. */
export const addMigrations = (more: Migration[]) => Array.prototype.push.apply(MIGRATIONS, more)

/** Runs `work` with additional migrations, as if this process were a later release. */
export async function runAsRelease<T>(more: Migration[], work: () => Promise<T>): Promise<T> {
  addMigrations(more)
  try {
    return await work()
  } finally {
    Array.prototype.splice.call(MIGRATIONS, CURRENT_MIGRATION_COUNT, more.length)
  }
}
