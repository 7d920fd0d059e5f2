import type { Migration } from '../migrate/migrations.ts'

/** By it, a refresh token that is used in two networks is noticed. */
export const refreshTokenNetworksMigration: Migration = {
  name: '0011-refresh-token-networks',
  sql: 'alter table oauth_records add column used_from text;',
}
