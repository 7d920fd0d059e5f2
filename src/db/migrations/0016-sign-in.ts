import type { Migration } from '../migrate/migrations.ts'

/**
 * Sign-in methods other than the password: a second factor with recovery codes, passkeys, and the
 * company's provider. A step is the state between two requests of a sign-in. These rows belong to no
 * workspace and are deleted with their user.
 */
export const signInMigration: Migration = {
  name: '0016-sign-in',
  sql: `
alter table users add column verified_email text;
alter table sessions add column signed_in_by text;
alter table sessions add column two_factors bigint not null default 0;
create table second_factors (
  user_id text primary key references users on delete cascade,
  sealed_secret text not null,
  last_step bigint not null,
  enabled_at text,
  created_at text not null
);
create table recovery_codes (
  user_id text not null references users on delete cascade,
  hash text not null,
  primary key (user_id, hash)
);
create table passkeys (
  id text primary key,
  user_id text not null references users on delete cascade,
  credential text not null unique,
  public_key text not null,
  counter bigint not null,
  transports text not null,
  name text not null,
  created_at text not null,
  last_used_at text
);
create index passkeys_user on passkeys (user_id, id);
create table company_links (
  issuer text not null,
  subject text not null,
  user_id text not null references users on delete cascade,
  email text,
  created_at text not null,
  last_used_at text,
  primary key (issuer, subject)
);
create index company_links_user on company_links (user_id);
create table sign_in_steps (
  hash text primary key,
  kind text not null,
  user_id text references users on delete cascade,
  payload text not null,
  expires_at text not null
);
create index sign_in_steps_user on sign_in_steps (user_id);
create index sign_in_steps_expire on sign_in_steps (expires_at);
`,
}
