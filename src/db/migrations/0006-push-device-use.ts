import type { Migration } from '../migrate/migrations.ts'

/** What was pushed to a device, when it was used last, and how its attempts go. */
export const pushDeviceUseMigration: Migration = {
  name: '0010-push-device-use',
  sql: `
alter table push_devices add column pushed_to text;
alter table push_devices add column last_used_at text;
alter table push_devices add column failures integer not null default 0;
alter table push_devices add column failing_since text;
alter table push_devices add column rests_until text;
`,
}
