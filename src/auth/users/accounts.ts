import { conflict, notFound } from '#core/api-error.ts'
import { nextUpdatedAt } from '#core/next-updated-at.ts'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { pickSlots, unscopedCommand, unscopedQuery } from '#db/core/statement.ts'
import { erasureMarkName, saveErasureProgress } from '#db/retention/person-erasure.ts'
import type { UserRow } from '#db/schema/tables.ts'
import { REMOVED_NAME, removedEmailOf } from '#lib/anonymize.ts'
import { foldCase } from '#lib/fold-case.ts'
import { newId } from '#lib/id.ts'
import { extractSearchWords } from '#lib/search-words.ts'
import { newPassword } from '#lib/token.ts'
import { INSTALLATION_AUDIT_LOG } from '#wire/audit-actions.ts'
import { bumpAuthVersion } from '../auth-version.ts'
import { hashPassword, type PasswordOwner } from '../passwords/password-hash.ts'
import { removeUserSignInSteps } from '../sign-in/sign-in-steps.ts'

/**
 * A person's account in this installation. `password` is the clear text to show once; it is null if
 * the account existed before.
 */
interface Account {
  user_id: string
  name: string
  password: string | null
}

interface NewAccount {
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
  tx.audit('password.changed', user_id, { sessions_ended }, INSTALLATION_AUDIT_LOG)
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
const insertUser = unscopedCommand(
  (db, $: Omit<UserRow, 'last_workspace_id' | 'verified_email' | 'hours_per_day'>) =>
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

const removeUserPasswordResets = unscopedCommand((db, $: { user_id: string }) =>
  db.deleteFrom('password_resets').where('user_id', '=', $.user_id),
)

const lockInstallationRow = unscopedCommand((db, $: { name: string; value: string }) =>
  db
    .insertInto('installation')
    .values(pickSlots($, 'name', 'value'))
    .onConflict((conflict) => conflict.column('name').doUpdateSet(pickSlots($, 'value'))),
)

/** The profile of a user; it is the same in all workspaces. */
type Profile = Pick<UserRow, 'name' | 'avatar_url' | 'timezone' | 'locale' | 'email'>

/** New values of some fields; undefined ones stay as they are. */
export type ProfileChanges = { [K in keyof Profile]?: Profile[K] | undefined }

/**
 * Changes the given fields of an account and returns whether any value has changed. Throws 409
 * `email_taken`. A new address invalidates the password reset links that were sent to the old one.
 */
export async function changeProfile(
  tx: WriteTx,
  user_id: string,
  changes: ProfileChanges,
): Promise<boolean> {
  if (changes.email !== undefined) await lockEmailAddresses(tx)
  const before = await tx.one(lockedProfileById, { id: user_id })
  if (!before) throw new Error('There is no account to change')
  const definedChanges = Object.entries(changes).filter(([, value]) => value !== undefined)
  const after = { ...before, ...(Object.fromEntries(definedChanges) as Partial<Profile>) }
  const isDifferent = (name: keyof Profile) => before[name] !== after[name]
  if (!FIELDS.some(isDifferent)) return false
  if (isDifferent('email')) {
    if (await findAccountByEmail(tx, after.email)) throw emailTaken()
    await tx.run(removeUserPasswordResets, { user_id })
    tx.audit('email.changed', user_id, {}, INSTALLATION_AUDIT_LOG)
  }
  await tx.run(updateProfile, {
    ...after,
    id: user_id,
    updated_at: nextUpdatedAt(tx, before.updated_at),
  })
  if (isDifferent('name')) {
    const name_words = ` ${extractSearchWords(after.name).join(' ')}`
    await tx.run(renameMemberships, { user_id, name_key: foldCase(after.name), name_words })
  }
  await bumpAuthVersion(tx)
  return true
}

export const emailTaken = () =>
  conflict('email_taken', 'An account with this email address already exists.')

const FIELDS = ['name', 'avatar_url', 'timezone', 'locale', 'email'] as const

/** Locks the row until the transaction ends, so that no concurrent change is lost. */
const lockedProfileById = unscopedQuery((db, $: { id: string }, { engine }) => {
  const select = db
    .selectFrom('users')
    .select([...FIELDS, 'updated_at'])
    .where('id', '=', $.id)
  return engine === 'postgres' ? select.forUpdate() : select
})

const updateProfile = unscopedCommand((db, $: Profile & { id: string; updated_at: string }) =>
  db
    .updateTable('users')
    .set(pickSlots($, ...FIELDS, 'updated_at'))
    .where('id', '=', $.id),
)

/** Every workspace sorts and searches its members by these columns. */
const renameMemberships = unscopedCommand(
  (db, $: { user_id: string; name_key: string; name_words: string }) =>
    db
      .updateTable('memberships')
      .set(pickSlots($, 'name_key', 'name_words'))
      .where('user_id', '=', $.user_id),
)

/**
 * Replaces an account with a tombstone that has no name, no address and no credentials. The id
 * stays, so that the person's records keep their author. The background jobs remove the name from
 * all other places; for them the old name and address are stored here, encrypted. The caller must
 * have ended all memberships before. Throws 404 if there is no account.
 */
export async function anonymizeAccount(tx: WriteTx, user_id: string): Promise<void> {
  await lockEmailAddresses(tx)
  const account = await tx.one(accountToErase, { id: user_id })
  if (!account) throw notFound()
  await tx.run(putTombstone, {
    id: user_id,
    email: removedEmailOf(user_id),
    name: REMOVED_NAME,
    updated_at: tx.now,
  })
  const name_words = ` ${extractSearchWords(REMOVED_NAME).join(' ')}`
  await tx.run(anonymizeMemberships, { user_id, name_key: foldCase(REMOVED_NAME), name_words })
  await tx.run(deleteSessions, { user_id })
  await tx.run(removeUserPasswordResets, { user_id })
  for (const remove of CREDENTIAL_DELETIONS) await tx.run(remove, { user_id })
  const sealed = tx.encrypt(JSON.stringify(account))
  await tx.run(saveErasureProgress, {
    name: erasureMarkName(user_id),
    value: JSON.stringify({ sealed }),
  })
  tx.audit('person.erased', user_id, {}, INSTALLATION_AUDIT_LOG)
  await bumpAuthVersion(tx)
}

const accountToErase = unscopedQuery((db, $: { id: string }) =>
  db.selectFrom('users').select(['name', 'email']).where('id', '=', $.id),
)

type Tombstone = { id: string; email: string; name: string; updated_at: string }
const putTombstone = unscopedCommand((db, $: Tombstone) =>
  db
    .updateTable('users')
    .set({
      ...pickSlots($, 'email', 'name', 'updated_at'),
      avatar_url: null,
      password_hash: null,
      timezone: 'UTC',
      locale: 'en',
      last_workspace_id: null,
      verified_email: null,
    })
    .where('id', '=', $.id),
)

const anonymizeMemberships = unscopedCommand(
  (db, $: { user_id: string; name_key: string; name_words: string }) =>
    db
      .updateTable('memberships')
      .set({ ...pickSlots($, 'name_key', 'name_words'), last_active_at: null })
      .where('user_id', '=', $.user_id),
)

/**
 * Everything else that opened the account. It also identifies the person at the SSO provider and on
 * devices.
 */
const CREDENTIAL_DELETIONS = (
  ['second_factors', 'recovery_codes', 'passkeys', 'company_links', 'sign_in_steps'] as const
).map((table) =>
  unscopedCommand((db, $: { user_id: string }) =>
    db.deleteFrom(table).where('user_id', '=', $.user_id),
  ),
)

const deleteSessions = unscopedCommand((db, $: { user_id: string }) =>
  db.deleteFrom('sessions').where('user_id', '=', $.user_id),
)
