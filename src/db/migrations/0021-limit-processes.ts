import type { Migration } from '../migrate/migrations.ts'

/** The processes that share rate limits, so that each knows its share while Redis is gone. */
export const limitProcessesMigration: Migration = {
  name: '0021-limit-processes',
  sql: '',
  postgres: `
create unlogged table limit_processes (
  id text not null primary key,
  seen_at bigint not null
);
`,
}
