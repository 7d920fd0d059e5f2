import type { Migration } from '../migrate/migrations.ts'

/**
 * Background jobs. `workspace_id` is '' for a job of no workspace, so it references none. `run_at` is
 * when a process may claim the job: while one runs it, the end of its lease.
 */
export const jobsMigration: Migration = {
  name: '0022-jobs',
  sql: `
create table jobs (
  workspace_id text not null,
  id text not null,
  kind text not null,
  key text,
  payload text not null,
  secret text,
  status text not null,
  run_at text not null,
  attempts integer not null,
  token bigint not null,
  again integer not null,
  progress text not null,
  error text,
  created_at text not null,
  ended_at text,
  primary key (workspace_id, id)
);
create index jobs_id on jobs (id);
create index jobs_due on jobs (kind, run_at) where ended_at is null;
create unique index jobs_key on jobs (workspace_id, kind, key)
  where ended_at is null and key is not null;
create index jobs_ended on jobs (status, ended_at) where ended_at is not null;
`,
}
