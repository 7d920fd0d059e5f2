import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { pickSlots, unscopedCommand, unscopedQuery } from '#db/core/statement.ts'
import type { UserRow } from '#db/schema/tables.ts'
import { newId } from '#lib/id.ts'
import { newPassword } from '#lib/token.ts'
import { INSTALLATION_CHAIN } from '#wire/audit-actions.ts'
import { bumpAuthVersion } from '../auth-version.ts'
import { hashPassword, type PasswordOwner } from '../passwords/password-hash.ts'
import { removeUserSignInSteps } from '../sign-in/sign-in-steps.ts'

/**
 * A person's account in this installation. `password` is the clear text to show once; it is null if
 * the account existed before.
 */
export interface Account {
  user_id: string
  name: string
  password: string | null
}

export interface NewAccount {
  /** Set if the caller needs to know the id in advance. */
  id?: string
  email: string
  name: string
  timezone: string
  avatar_url?: string | null
  locale?: string | undefined
}

/** Hashes the password of a new account. Call it outside transactions, because hashing is slow. */
export async function preparePassword(password = newPassword(), owner?: PasswordOwner) {
  return { password, hash: await hashPassword(password, owner) }
}

export type PreparedPassword = Awaited<ReturnType<typeof preparePassword>>

/** For an account that nobody can sign in to until a password is set. */
export const NO_PASSWORD = { password: null, hash: null }

/** Returns the account of an email address unchanged, or creates one if there is none. */
export async function ensureAccount(
  tx: WriteTx,
  account: NewAccount,
  { password, hash }: PreparedPassword | typeof NO_PASSWORD,
): Promise<Account> {
  const { id: user_id = newId('usr', tx.nowMs), email, name, timezone } = account
  await lockEmailAddresses(tx)
  const insertedRows = await tx.run(insertUser, {
    id: user_id,
    email: normalizeEmail(email),
    name,
    avatar_url: account.avatar_url ?? null,
    timezone,
    locale: account.locale ?? 'en',
    password_hash: hash,
    created_at: tx.now,
    updated_at: tx.now,
  })
  if (insertedRows === 1) return { user_id, name, password }
  const existing = await findAccountByEmail(tx, email)
  if (!existing) throw new Error('An account is there and cannot be found')
  return { user_id: existing.id, name: existing.name, password: null }
}

export const findAccountByEmail = (tx: ReadTx, email: string) =>
  tx.one(userByEmail, { email: normalizeEmail(email) })

/**
 * Sets a new password, or none, and ends the account's sessions, password reset links and pending
 * sign-ins.
 */
export async function setPassword(
  tx: WriteTx,
  user_id: string,
  hash: string | null,
): Promise<void> {
  await tx.run(updatePassword, { id: user_id, password_hash: hash, updated_at: tx.now })
  const sessions_ended = await tx.run(removeUserSessions, { user_id })
  tx.audit('password.changed', user_id, { sessions_ended }, INSTALLATION_CHAIN)
  await tx.run(removeUserPasswordResets, { user_id })
  await tx.run(removeUserSignInSteps, { user_id })
  await bumpAuthVersion(tx)
}

/** Records that the person has proved ownership of the account's email address. */
export const markEmailVerified = (tx: WriteTx, id: string) => tx.run(setVerifiedEmail, { id })

/**
 * Prevents anyone else from creating an account or changing an address until the transaction ends.
 * A change first checks whether the address is free; on PostgreSQL another process could take it in
 * between.
 */
export async function lockEmailAddresses(tx: WriteTx): Promise<void> {
  await tx.run(lockInstallationRow, { name: 'addresses', value: tx.now })
}

/** Email addresses are trimmed and lower-cased (docs/spec/api.md#internal-api-of-the-web-app). */
const normalizeEmail = (email: string): string => email.trim().toLowerCase()

export const isEmail = (email: string): boolean =>
  /^[^@\s\p{Cc}]+@[^@\s\p{Cc}]+$/u.test(email) && email.length <= 254

const userByEmail = unscopedQuery((db, $: { email: string }) =>
  db.selectFrom('users').select(['id', 'name', 'timezone']).where('email', '=', $.email),
)

/**
 * If two requests create an account for one address at the same time, the second finds the first's.
 */
const insertUser = unscopedCommand((db, $: Omit<UserRow, 'last_workspace_id' | 'verified_email'>) =>
  db
    .insertInto('users')
    .values(
      pickSlots(
        $,
        'id',
        'email',
        'name',
        'avatar_url',
        'timezone',
        'locale',
        'password_hash',
        'created_at',
        'updated_at',
      ),
    )
    .onConflict((conflict) => conflict.column('email').doNothing()),
)

type PasswordUpdate = { id: string; password_hash: string | null; updated_at: string }
const updatePassword = unscopedCommand((db, $: PasswordUpdate) =>
  db
    .updateTable('users')
    .set(pickSlots($, 'password_hash', 'updated_at'))
    .where('id', '=', $.id),
)

/** Stores the verified address itself, so that a later change of address is not verified. */
const setVerifiedEmail = unscopedCommand((db, $: { id: string }) =>
  db
    .updateTable('users')
    .set((is) => ({ verified_email: is.ref('email') }))
    .where('id', '=', $.id),
)

export const removeUserSessions = unscopedCommand((db, $: { user_id: string }) =>
  db.deleteFrom('sessions').where('user_id', '=', $.user_id),
)

export const removeUserPasswordResets = unscopedCommand((db, $: { user_id: string }) =>
  db.deleteFrom('password_resets').where('user_id', '=', $.user_id),
)

const lockInstallationRow = unscopedCommand((db, $: { name: string; value: string }) =>
  db
    .insertInto('installation')
    .values(pickSlots($, 'name', 'value'))
    .onConflict((conflict) => conflict.column('name').doUpdateSet(pickSlots($, 'value'))),
)
