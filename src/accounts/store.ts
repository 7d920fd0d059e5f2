import { commandOfAll, queryOfAll, row } from '#storage/statement.ts'
import type { PasswordResetRow } from '#storage/tables.ts'

const PERSON = [
  ...(['id', 'email', 'name', 'password_hash', 'last_workspace_id'] as const),
  'verified_email',
] as const

export const personByEmail = queryOfAll((db, $: { email: string }) =>
  db.selectFrom('users').select(PERSON).where('email', '=', $.email),
)

export const personById = queryOfAll((db, $: { id: string }) =>
  db.selectFrom('users').select(PERSON).where('id', '=', $.id),
)

export const anyAccount = queryOfAll((db) => db.selectFrom('users').select('id').limit(1))

/** Notes that the first account is being made; of two at once one changes no row. */
export const noteFirstAccount = commandOfAll((db, $: { at: string }) =>
  db
    .insertInto('installation')
    .values({ name: 'first_account', value: $.at })
    .onConflict((conflict) => conflict.column('name').doNothing()),
)

export const noteWorkspace = commandOfAll((db, $: { user_id: string; stands_in: string }) =>
  db.updateTable('users').set({ last_workspace_id: $.stands_in }).where('id', '=', $.user_id),
)

/** The sessions of a person, those that were used last first. */
export const sessionsByUse = queryOfAll((db, $: { user_id: string }) =>
  db
    .selectFrom('sessions')
    .select(['id', 'user_id', 'workspace_id'])
    .where('user_id', '=', $.user_id)
    .orderBy('last_used_at', 'desc')
    .orderBy('id', 'desc'),
)

export const removeSession = commandOfAll((db, $: { id: string }) =>
  db.deleteFrom('sessions').where('id', '=', $.id),
)

/** The session with this value of its cookie, if there is one. */
export const sessionsByHash = queryOfAll((db, $: { hash: string }) =>
  db
    .selectFrom('sessions')
    .select(['id', 'user_id', 'workspace_id', 'signed_in_by', 'two_factors'])
    .where('hash', '=', $.hash),
)

export const moveSession = commandOfAll((db, $: { id: string; stands_in: string }) =>
  db.updateTable('sessions').set({ workspace_id: $.stands_in }).where('id', '=', $.id),
)

export const insertReset = commandOfAll((db, $: PasswordResetRow) =>
  db.insertInto('password_resets').values(row($, 'hash', 'user_id', 'created_at', 'expires_at')),
)

export const resetByHash = queryOfAll((db, $: { hash: string }) =>
  db
    .selectFrom('password_resets')
    .innerJoin('users', 'users.id', 'password_resets.user_id')
    .select([
      'users.id as user_id',
      'users.last_workspace_id',
      'users.email',
      'users.verified_email',
      'password_resets.expires_at',
    ])
    .where('hash', '=', $.hash),
)

export const removeReset = commandOfAll((db, $: { hash: string }) =>
  db.deleteFrom('password_resets').where('hash', '=', $.hash),
)
