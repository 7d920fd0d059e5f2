import { pickSlots, unscopedCommand, unscopedQuery } from '#db/core/statement.ts'
import type { PasswordResetRow } from '#db/schema/tables.ts'

const PERSON_COLUMNS = [
  'id',
  'email',
  'name',
  'password_hash',
  'last_workspace_id',
  'verified_email',
] as const

export const personByEmail = unscopedQuery((db, $: { email: string }) =>
  db.selectFrom('users').select(PERSON_COLUMNS).where('email', '=', $.email),
)

export const personById = unscopedQuery((db, $: { id: string }) =>
  db.selectFrom('users').select(PERSON_COLUMNS).where('id', '=', $.id),
)

/**
 * The account, whose row stays locked until the transaction ends. Whatever begins or ends sign-ins of
 * the account locks it first: on PostgreSQL the end of all sessions would otherwise miss one that
 * another transaction has not committed yet. Rows that reference the account can still be inserted.
 */
export const lockedPersonById = unscopedQuery((db, $: { id: string }, { engine }) => {
  const select = db.selectFrom('users').select(PERSON_COLUMNS).where('id', '=', $.id)
  return engine === 'postgres' ? select.forNoKeyUpdate() : select
})

/**
 * Marks that the first account is being created. Of two concurrent transactions, one changes no
 * row.
 */
export const insertFirstAccountMark = unscopedCommand((db, $: { at: string }) =>
  db
    .insertInto('installation')
    .values({ name: 'first_account', value: $.at })
    .onConflict((conflict) => conflict.column('name').doNothing()),
)

export const updateLastWorkspace = unscopedCommand(
  (db, $: { user_id: string; stands_in: string }) =>
    db.updateTable('users').set({ last_workspace_id: $.stands_in }).where('id', '=', $.user_id),
)

export const updateHoursPerDay = unscopedCommand((db, $: { id: string; hours_per_day: number }) =>
  db.updateTable('users').set({ hours_per_day: $.hours_per_day }).where('id', '=', $.id),
)

/** The sessions of a user, most recently used first. */
export const sessionsByLastUse = unscopedQuery((db, $: { user_id: string }) =>
  db
    .selectFrom('sessions')
    .select(['id', 'user_id', 'workspace_id'])
    .where('user_id', '=', $.user_id)
    .orderBy('last_used_at', 'desc')
    .orderBy('id', 'desc'),
)

export const removeSessionById = unscopedCommand((db, $: { id: string }) =>
  db.deleteFrom('sessions').where('id', '=', $.id),
)

/** The session of a cookie's hash, if there is one. */
export const sessionsByHash = unscopedQuery((db, $: { hash: string }) =>
  db
    .selectFrom('sessions')
    .select(['id', 'user_id', 'workspace_id', 'signed_in_by', 'two_factors'])
    .select(['created_at', 'expires_at'])
    .where('hash', '=', $.hash),
)

export const moveSessionToWorkspace = unscopedCommand((db, $: { id: string; stands_in: string }) =>
  db.updateTable('sessions').set({ workspace_id: $.stands_in }).where('id', '=', $.id),
)

export const insertPasswordReset = unscopedCommand((db, $: PasswordResetRow) =>
  db
    .insertInto('password_resets')
    .values(pickSlots($, 'hash', 'user_id', 'created_at', 'expires_at')),
)

export const passwordResetByHash = unscopedQuery((db, $: { hash: string }) =>
  db
    .selectFrom('password_resets')
    .innerJoin('users', 'users.id', 'password_resets.user_id')
    .select([
      'users.id as user_id',
      'users.last_workspace_id',
      'users.name',
      'users.email',
      'users.verified_email',
      'password_resets.expires_at',
    ])
    .where('hash', '=', $.hash),
)

export const extendPasswordReset = unscopedCommand((db, $: { hash: string; expires_at: string }) =>
  db.updateTable('password_resets').set({ expires_at: $.expires_at }).where('hash', '=', $.hash),
)

export const removePasswordReset = unscopedCommand((db, $: { hash: string }) =>
  db.deleteFrom('password_resets').where('hash', '=', $.hash),
)
