import { MIGRATIONS, type Migration } from '#storage/migrations.ts'

/** How many migrations this release knows: it is the one before, for what is older was made for no neighbour. */
export const BEFORE = MIGRATIONS.length

/** What comes after it, with a migration of each kind. */
export const NEXT: Migration[] = [
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

/** From now on this process is of a release with these migrations more. */
export const release = (more: Migration[]) => Array.prototype.push.apply(MIGRATIONS, more)

/** Does something as a release with these migrations more would. */
export async function asRelease<T>(more: Migration[], work: () => Promise<T>): Promise<T> {
  release(more)
  try {
    return await work()
  } finally {
    Array.prototype.splice.call(MIGRATIONS, BEFORE, more.length)
  }
}
