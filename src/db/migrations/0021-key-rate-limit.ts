import type { Migration } from '../migrate/migrations.ts'

/** How many requests per minute an API key may send at most, if fewer than its workspace. */
export const keyRateLimitMigration: Migration = {
  name: '0021-key-rate-limit',
  sql: 'alter table api_keys add column rate_limit bigint;',
}
