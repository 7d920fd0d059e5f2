import type { Migration } from '../../migrate/migrations.ts'

/** Rate-limit counts per minute, for processes that share a PostgreSQL and have no Redis. */
export const limitsMigration: Migration = {
  name: '0009-limits',
  sql: '',
  postgres: `
create unlogged table rate_windows (
  name text not null,
  ends_at bigint not null,
  used integer not null,
  used_before integer not null,
  most integer not null,
  wanted integer not null,
  primary key (name, ends_at)
) with (fillfactor = 50);
create index rate_windows_ends on rate_windows (ends_at);
`,
}
