import { hash } from 'node:crypto'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { ApiError } from '#core/api-error.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import { pickSlots, unscopedCommand, unscopedQuery } from '#db/core/statement.ts'
import type { SignInAttemptsRow } from '#db/schema/tables.ts'
import { clientNetworkOf } from '#lib/client-network.ts'
import { timestampOf } from '#lib/clock.ts'

const MINUTE_MS = 60_000
/** How long all attempts are rejected once the maximum is reached (docs/spec/api.md#session-cookie). */
const BLOCKED_MS = 15 * MINUTE_MS

/** A counter of failed attempts, and how many of them are allowed. */
export interface AttemptLimit {
  /** A hash, so that the table contains neither addresses nor names. */
  name: string
  maxAttempts: number
  windowMs: number
  /** Whether a success clears all failures, not only the attempt that was counted for it. */
  resetsOnSuccess: boolean
}

/** Counts all attempts for an email address, from any client. */
export const limitByEmail = (email: string): AttemptLimit => accountLimit(`email ${email}`)

/**
 * Counts the attempts of a browser that has signed in to the account before. Strangers cannot use
 * up its attempts.
 */
export const limitByDevice = (device: string): AttemptLimit => accountLimit(`device ${device}`)

/**
 * Counts attempts with second-factor codes separately: a client that tries them has the password.
 */
export const limitBySecondFactor = (whose: string): AttemptLimit =>
  accountLimit(`second factor ${whose}`)

/** Counts all attempts from the network of a client, for any account. */
export const limitByAddress = (address: string): AttemptLimit => {
  const name = hash('sha256', `address ${clientNetworkOf(address)}`)
  return { name, maxAttempts: 100, windowMs: 60 * MINUTE_MS, resetsOnSuccess: false }
}

/** Counts the password reset emails to one mailbox. */
export const limitResetsByEmail = (email: string): AttemptLimit => ({
  ...accountLimit(`reset ${email}`),
  maxAttempts: 5,
})
/** Counts the password reset emails that one network requests. */
export const limitResetsByAddress = (address: string): AttemptLimit => ({
  ...accountLimit(`resets from ${clientNetworkOf(address)}`),
  maxAttempts: 30,
})

/**
 * Counts how often a user wants an email address that an account has already: each refusal says so.
 */
export const limitTakenEmails = (user_id: string): AttemptLimit => ({
  ...accountLimit(`taken ${user_id}`),
  resetsOnSuccess: false,
})

/** Counts the emails that tell the user of an account of changes. */
export const limitSecurityEmails = (user_id: string): AttemptLimit => ({
  name: hash('sha256', `security emails ${user_id}`),
  maxAttempts: 20,
  windowMs: 24 * 60 * MINUTE_MS,
  resetsOnSuccess: false,
})

/** Counts the failed sign-ins of an account that are written to the audit log. */
export const limitAuditedFailures = (user_id: string): AttemptLimit => ({
  ...accountLimit(`told ${user_id}`),
  maxAttempts: 3,
})

/** Counts the invitations of a workspace, each of which may send an email. */
export const limitInvitations = (workspace_id: string, maxAttempts: number): AttemptLimit => ({
  name: hash('sha256', `invitations ${workspace_id}`),
  maxAttempts,
  windowMs: 24 * 60 * MINUTE_MS,
  resetsOnSuccess: false,
})

const accountLimit = (text: string): AttemptLimit => ({
  name: hash('sha256', text),
  maxAttempts: 10,
  windowMs: 15 * MINUTE_MS,
  resetsOnSuccess: true,
})

/**
 * Runs `verify` unless one of the limits is exhausted; then throws 429 `too_many_attempts`. The
 * attempt counts as failed before `verify` begins, so that parallel attempts cannot get around the
 * limit. It is taken back if `verify` returns true or throws.
 */
export async function withAttemptLimits(
  storage: Storage,
  limits: readonly AttemptLimit[],
  verify: () => Promise<boolean>,
): Promise<boolean> {
  // A fixed order prevents deadlocks between two attempts that share limits.
  const sorted = limits.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  // An error thrown after a change would roll back all writes that share its commit.
  const waitMs = await storage.write(ANONYMOUS_ACTOR, (tx) => countAttempts(tx, sorted))
  if (waitMs > 0) throw tooManyAttempts('Too many failed attempts.', waitMs)
  const takeBackAll = (isRight: boolean) =>
    storage.write(ANONYMOUS_ACTOR, async (tx) => {
      for (const limit of sorted) await takeBackAttempt(tx, limit, isRight)
    })
  let isRight: boolean
  try {
    isRight = await verify()
  } catch (error) {
    await takeBackAll(false)
    throw error
  }
  if (isRight) await takeBackAll(true)
  return isRight
}

/**
 * Counts an action, unless the maximum within the window is reached: then it returns the milliseconds
 * until the next one is allowed. Nothing is counted if the transaction fails.
 */
export async function countWithinWindow(tx: WriteTx, limit: AttemptLimit): Promise<number> {
  const { name, maxAttempts, windowMs } = limit
  const { times } = await lockCounter(tx, limit)
  const recent = times.filter((at) => at > tx.nowMs - windowMs)
  const [oldest] = recent
  if (oldest !== undefined && recent.length >= maxAttempts) return oldest + windowMs - tx.nowMs
  const failed_at = JSON.stringify([...recent, tx.nowMs])
  await tx.run(updateAttempts, { subject: name, failed_at, blocked_until: '' })
  return 0
}

/** Counts an attempt, or returns the milliseconds until the next one is allowed. */
export const countAttempt = (tx: WriteTx, limit: AttemptLimit): Promise<number> =>
  countAttempts(tx, [limit])

/**
 * Counts an attempt in all counters. If one of them is exhausted, it changes nothing and returns the
 * milliseconds until the next attempt is allowed.
 */
async function countAttempts(tx: WriteTx, limits: readonly AttemptLimit[]): Promise<number> {
  const now = tx.nowMs
  let waitMs = 0
  const wait = (blockedUntil: string) => {
    waitMs = Math.max(waitMs, Date.parse(blockedUntil || '1970-01-01') - now)
  }
  // Read first, because locking creates the row of a counter: an exhausted address would otherwise
  // create one for each email address that it tries.
  for (const { name } of limits) {
    wait((await tx.one(attemptsBySubject, { subject: name }))?.blocked_until ?? '')
  }
  if (waitMs > 0) return waitMs
  const counters: (AttemptLimit & { times: number[] })[] = []
  for (const limit of limits) {
    const { blocked_until, times } = await lockCounter(tx, limit)
    wait(blocked_until)
    counters.push({ ...limit, times })
  }
  // Another process may have used up the last attempt since.
  if (waitMs > 0) return waitMs
  for (const { name, maxAttempts, windowMs, times } of counters) {
    const failed = [...times.filter((at) => at > now - windowMs), now].slice(-maxAttempts)
    const blocked_until = failed.length < maxAttempts ? '' : timestampOf(now + BLOCKED_MS)
    const failed_at = JSON.stringify(failed)
    await tx.run(updateAttempts, { subject: name, failed_at, blocked_until })
  }
  return 0
}

async function takeBackAttempt(tx: WriteTx, limit: AttemptLimit, isRight: boolean): Promise<void> {
  const { times } = await lockCounter(tx, limit)
  const failed_at = JSON.stringify(isRight && limit.resetsOnSuccess ? [] : times.slice(0, -1))
  await tx.run(updateAttempts, { subject: limit.name, failed_at, blocked_until: '' })
}

/**
 * Reads a counter and locks it until the transaction ends: on PostgreSQL other processes count too.
 */
async function lockCounter(tx: WriteTx, { name, windowMs }: AttemptLimit) {
  const kept_until = timestampOf(tx.nowMs + Math.max(windowMs, BLOCKED_MS))
  await tx.run(upsertAndLockAttempts, {
    subject: name,
    kept_until,
    failed_at: '[]',
    blocked_until: '',
  })
  const { failed_at = '[]', blocked_until = '' } =
    (await tx.one(attemptsBySubject, { subject: name })) ?? {}
  return { blocked_until, times: JSON.parse(failed_at) as number[] }
}

/** 429 with a sentence that says what there were too many of, and when to try again. */
export function tooManyAttempts(sentence: string, ms: number): ApiError {
  const wait = String(Math.ceil(ms / 1000))
  const message = `${sentence} Try again in ${wait} seconds.`
  return new ApiError(429, 'too_many_attempts', message, { headers: { 'retry-after': wait } })
}

const attemptsBySubject = unscopedQuery((db, $: { subject: string }) =>
  db.selectFrom('attempts').select(['failed_at', 'blocked_until']).where('subject', '=', $.subject),
)

const upsertAndLockAttempts = unscopedCommand((db, $: SignInAttemptsRow) =>
  db
    .insertInto('attempts')
    .values(pickSlots($, 'subject', 'failed_at', 'blocked_until', 'kept_until'))
    .onConflict((conflict) => conflict.column('subject').doUpdateSet(pickSlots($, 'kept_until'))),
)

const updateAttempts = unscopedCommand((db, $: Omit<SignInAttemptsRow, 'kept_until'>) =>
  db
    .updateTable('attempts')
    .set(pickSlots($, 'failed_at', 'blocked_until'))
    .where('subject', '=', $.subject),
)
