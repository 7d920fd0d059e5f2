import type { ReadTx, WriteTx } from '#core/tx.ts'
import { newId } from '#lib/id.ts'
import { newPassword } from '#lib/token.ts'
import { commandOfAll, queryOfAll, row } from '#storage/statement.ts'
import type { UserRow } from '#storage/tables.ts'
import { INSTALLATION } from '#wire/audit.ts'
import { advanceGeneration } from './generation.ts'
import { hashOfPassword } from './password.ts'
import { removeStepsOf } from './steps.ts'

/** A person of the installation, and the password to tell: null where the account was there before. */
export interface Account {
  user_id: string
  name: string
  password: string | null
}

export interface NewAccount {
  /** The id that it gets, where that has to be known before. */
  id?: string
  email: string
  name: string
  timezone: string
  avatar_url?: string | null
  locale?: string | undefined
}

/** The password of a new account, hashed: outside any transaction, because it takes a while. */
export async function preparePassword(password = newPassword()) {
  return { password, hash: await hashOfPassword(password) }
}

export type PreparedPassword = Awaited<ReturnType<typeof preparePassword>>

/** For an account with which nobody can sign in until it is given a password. */
export const NO_PASSWORD = { password: null, hash: null }

/** The account of an e-mail address, unchanged; makes one if there is none. */
export async function ensureAccount(
  tx: WriteTx,
  account: NewAccount,
  { password, hash }: PreparedPassword | typeof NO_PASSWORD,
): Promise<Account> {
  const { id: user_id = newId('usr', tx.instant), email, name, timezone } = account
  await holdAddresses(tx)
  const made = await tx.run(insertUser, {
    id: user_id,
    email: emailKey(email),
    name,
    avatar_url: account.avatar_url ?? null,
    timezone,
    locale: account.locale ?? 'en',
    password_hash: hash,
    created_at: tx.now,
    updated_at: tx.now,
  })
  if (made === 1) return { user_id, name, password }
  const known = await accountByEmail(tx, email)
  if (!known) throw new Error('An account is there and cannot be found')
  return { user_id: known.id, name: known.name, password: null }
}

export const accountByEmail = (tx: ReadTx, email: string) =>
  tx.one(userByEmail, { email: emailKey(email) })

/** Gives an account another password: its sessions end, and so do links to choose another. */
export async function setPassword(tx: WriteTx, user_id: string, hash: string): Promise<void> {
  await tx.run(changePassword, { id: user_id, password_hash: hash, updated_at: tx.now })
  const sessions_ended = await tx.run(removeSessionsOf, { user_id })
  tx.audit('password.changed', user_id, { sessions_ended }, INSTALLATION)
  await tx.run(removeResetsOf, { user_id })
  await tx.run(removeStepsOf, { user_id })
  await advanceGeneration(tx)
}

/** Notes that the person has shown to own the address of the account. */
export const noteVerified = (tx: WriteTx, id: string) => tx.run(setVerified, { id })

/**
 * Lets nobody else make an account or change an address until the end: a change looks first, and on
 * PostgreSQL another process could take the address in between.
 */
export async function holdAddresses(tx: WriteTx): Promise<void> {
  await tx.run(holdInstallation, { name: 'addresses', value: tx.now })
}

/** E-mail addresses are trimmed and lower-cased (contract 9). */
const emailKey = (email: string): string => email.trim().toLowerCase()

export const isEmail = (email: string): boolean =>
  /^[^@\s\p{Cc}]+@[^@\s\p{Cc}]+$/u.test(email) && email.length <= 254

const userByEmail = queryOfAll((db, $: { email: string }) =>
  db.selectFrom('users').select(['id', 'name', 'timezone']).where('email', '=', $.email),
)

/** Of two that make an account for one address at the same time the second finds the first's. */
const insertUser = commandOfAll((db, $: Omit<UserRow, 'last_workspace_id' | 'verified_email'>) =>
  db
    .insertInto('users')
    .values(
      row(
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

type NewPassword = { id: string; password_hash: string; updated_at: string }
const changePassword = commandOfAll((db, $: NewPassword) =>
  db
    .updateTable('users')
    .set(row($, 'password_hash', 'updated_at'))
    .where('id', '=', $.id),
)

/** An address that is changed later is another, and not verified. */
const setVerified = commandOfAll((db, $: { id: string }) =>
  db
    .updateTable('users')
    .set((is) => ({ verified_email: is.ref('email') }))
    .where('id', '=', $.id),
)

export const removeSessionsOf = commandOfAll((db, $: { user_id: string }) =>
  db.deleteFrom('sessions').where('user_id', '=', $.user_id),
)

export const removeResetsOf = commandOfAll((db, $: { user_id: string }) =>
  db.deleteFrom('password_resets').where('user_id', '=', $.user_id),
)

const holdInstallation = commandOfAll((db, $: { name: string; value: string }) =>
  db
    .insertInto('installation')
    .values(row($, 'name', 'value'))
    .onConflict((conflict) => conflict.column('name').doUpdateSet(row($, 'value'))),
)
