import { hash } from 'node:crypto'
import { ANONYMOUS_ACTOR, type UserActor } from '#core/actor.ts'
import { ApiError } from '#core/api-error.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import { pickSlots, unscopedCommand, unscopedQuery } from '#db/core/statement.ts'
import type { SignInAttemptsRow } from '#db/schema/tables.ts'
import { clientNetworkOf } from '#lib/client-network.ts'
import { timestampOf } from '#lib/clock.ts'
import { type ActionLimit, type Endpoint, isActionLimit } from '#wire/endpoint.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** How long all attempts are rejected once the maximum is reached (docs/spec/api.md#session-cookie). */
const BLOCKED_MS = 15 * MINUTE_MS
/** The longest of the blocks that grow. */
const MAX_BLOCKED_MS = DAY_MS

/** A counter of attempts, and how many of them are allowed. */
export interface AttemptLimit {
  /** A hash, so that the table contains neither addresses nor names. */
  name: string
  maxAttempts: number
  windowMs: number
  /**
   * What counts, and what happens at the maximum:
   * - `uses`: what succeeds; the next one is allowed when the oldest has left the window.
   * - `failures`: what fails; all attempts are rejected for 15 minutes.
   * - `consecutive_failures`: the same, but a success clears them.
   * - `guesses`: the same, but each failure beyond the maximum doubles the block, up to a day.
   */
  counts: 'uses' | 'failures' | 'consecutive_failures' | 'guesses'
  /** What there were too many of, for the message of the error. */
  sentence: string
}

/** Counts the passwords that are tried for an email address in browsers that nobody knows. */
export const limitByEmail = (email: string): AttemptLimit =>
  limitFailures(`email ${email}`, 'failed attempts to sign in with this email address')

/**
 * Counts the passwords that are tried in a browser that has signed in to the account before, so that
 * strangers cannot use up its attempts. Somebody who once knew the password may have collected many
 * device tokens, so all such browsers together have a limit, too.
 */
export const limitsByDevice = (device: string, user_id: string): AttemptLimit[] => [
  limitFailures(`device ${device}`, 'wrong passwords from this browser'),
  limitFailures(`devices ${user_id}`, 'wrong passwords for this account', 30),
]

/**
 * Counts attempts with second-factor codes separately: a client that tries them has the password, and
 * can try for as long as that stays the same. At ten attempts in 15 minutes, two of three such clients
 * would guess a code within a year. With blocks that grow, one of some 900 does. Only a right code
 * clears the failures, or a new second factor; after a year each is forgotten.
 */
export const limitBySecondFactor = (whose: string): AttemptLimit => ({
  name: hash('sha256', `second factor ${whose}`),
  maxAttempts: 10,
  windowMs: 365 * DAY_MS,
  counts: 'guesses',
  sentence: 'Too many codes of the second factor were wrong.',
})

/**
 * Counts the wrong codes for an account from all browsers since the last right one. It blocks nobody:
 * an email tells the user (`verifySecondFactorAction`).
 */
export const countSecondFactorGuesses = (user_id: string): AttemptLimit => ({
  ...limitBySecondFactor(`of all browsers ${user_id}`),
  maxAttempts: Number.POSITIVE_INFINITY,
})

/** Counts all attempts from the network of a client, for any account. */
export const limitByAddress = (address: string): AttemptLimit => {
  const text = `address ${clientNetworkOf(address)}`
  return {
    ...createLimit(text, 'failed attempts to sign in from your network', 100, HOUR_MS),
    counts: 'failures',
  }
}

/** Counts the password reset emails to one mailbox. */
export const limitResetsByEmail = (email: string): AttemptLimit =>
  limitFailures(`reset ${email}`, 'emails with links to this address', 5)
/** Counts the password reset emails that one network requests. */
export const limitResetsByAddress = (address: string): AttemptLimit =>
  limitFailures(
    `resets from ${clientNetworkOf(address)}`,
    'emails with links requested from your network',
    30,
  )

/**
 * Counts how often a user wants an email address that an account has already: each refusal says so.
 */
export const limitTakenEmails = (user_id: string): AttemptLimit => ({
  ...limitFailures(`taken ${user_id}`, 'attempts to use the email address of another account'),
  counts: 'failures',
})

/** Counts the emails that tell the user of an account of changes. */
export const limitSecurityEmails = (user_id: string): AttemptLimit =>
  limitUses(`security emails ${user_id}`, 'emails about the security of this account', 20, DAY_MS)

/** Counts how often refresh tokens of an authorization were used again from another network. */
export const limitSharedRefreshes = (grant_id: string): AttemptLimit =>
  limitUses(`shared refreshes ${grant_id}`, 'refreshes from several networks', 2, DAY_MS)

/** Counts the failed sign-ins of an account that are written to the audit log. */
export const limitAuditedFailures = (user_id: string): AttemptLimit =>
  limitFailures(`told ${user_id}`, 'failed sign-ins to this account', 3)

/**
 * Counts the sign-ins to an account whose password or other credential was right, because each writes
 * to the audit log. A browser that has signed in before has a count of its own, which strangers who
 * know the password cannot use up, and does not count for its network: otherwise one person could lock
 * out a whole office. Each sign-in in a new browser begins another such count, so all browsers of the
 * account together have a limit, too.
 */
export const listSignInLimits = (
  user_id: string,
  device: string | undefined,
  address: string,
): AttemptLimit[] => [
  limitUses(`all sign-ins ${user_id}`, 'sign-ins to this account', 300, 15 * MINUTE_MS),
  ...(device === undefined
    ? [
        limitUses(
          `sign-ins ${user_id}`,
          'sign-ins to this account from new browsers',
          100,
          15 * MINUTE_MS,
        ),
        limitUses(
          `sign-ins from ${clientNetworkOf(address)}`,
          'sign-ins from new browsers in your network',
          1_000,
          HOUR_MS,
        ),
      ]
    : [
        limitUses(
          `sign-ins ${device}`,
          'sign-ins to this account from this browser',
          100,
          15 * MINUTE_MS,
        ),
      ]),
]

/**
 * Counts the tasks that requests of the web app make in a workspace, several with one request: as
 * many are allowed in a minute as its sessions may send requests.
 */
export const limitTasksMade = (workspace_id: string, maxAttempts: number): AttemptLimit =>
  limitUses(
    `tasks made in ${workspace_id}`,
    'tasks made by copies and templates in this workspace',
    maxAttempts,
    MINUTE_MS,
  )

/** Who sends a request that counts against the limit of an action. */
export interface ActionSender {
  address: string
  /** Undefined without a session. */
  actor: Pick<UserActor, 'user_id' | 'workspace_id' | 'plan'> | undefined
}

/** How many people one workspace can invite within 24 hours, and so can one person. */
const MAX_DAILY_INVITATIONS = { free: 100, paid: 1_000 }

/**
 * The limits of each kind of action (docs/spec/api.md#limits-of-actions). What one workspace may do
 * does not suffice where anybody may create workspaces, so the network of the client, the person and
 * the installation have limits as well.
 */
const LIMITS_BY_ACTION: Readonly<Record<ActionLimit, (sender: ActionSender) => AttemptLimit[]>> = {
  // `startSession` counts these (`listSignInLimits`): only then is it known who signs in.
  sign_in: () => [],
  sign_up: ({ address }) => {
    const what = 'new accounts and workspaces'
    return [
      limitUses(
        `sign-ups from ${clientNetworkOf(address)}`,
        `${what} from your network`,
        30,
        HOUR_MS,
      ),
      limitUses('sign-ups', `${what} on this server`, 300, HOUR_MS),
    ]
  },
  switch: ({ actor }) => [
    limitUses(`switches by ${actor?.user_id}`, 'switches of your workspace', 100, 15 * MINUTE_MS),
  ],
  access: ({ actor }) => [
    limitUses(
      `access by ${actor?.user_id}`,
      'changes of accounts, access and settings by you',
      300,
      15 * MINUTE_MS,
    ),
  ],
  invitation: ({ address, actor }) => {
    const plan = actor?.plan ?? 'free'
    const max = MAX_DAILY_INVITATIONS[plan]
    const sentence = `A workspace on the plan ${plan} can invite ${max} people within 24 hours, and so can each person.`
    return [
      { ...limitUses(`invitations ${actor?.workspace_id}`, 'invitations', max, DAY_MS), sentence },
      { ...limitUses(`invitations by ${actor?.user_id}`, 'invitations', max, DAY_MS), sentence },
      // An office that pays may be one network.
      ...(plan === 'free'
        ? [
            limitUses(
              `invitations from ${clientNetworkOf(address)}`,
              'invitations from your network',
              2 * max,
              DAY_MS,
            ),
          ]
        : []),
      limitUses('invitations', 'invitations on this server', 5_000, DAY_MS),
    ]
  },
  transfer: ({ address, actor }) => {
    const what = 'imports and exports'
    return [
      limitUses(`transfers by ${actor?.user_id}`, `${what} by you`, 200, HOUR_MS),
      limitUses(
        `transfers from ${clientNetworkOf(address)}`,
        `${what} from your network`,
        400,
        HOUR_MS,
      ),
      limitUses('transfers', `${what} on this server`, 2_000, HOUR_MS),
    ]
  },
  webhook: ({ actor }) => [
    limitUses(
      `webhooks of ${actor?.workspace_id}`,
      'changes of webhooks in this workspace',
      300,
      15 * MINUTE_MS,
    ),
  ],
}

/** The limits against which a request to an endpoint counts, beside those of all requests. */
export const listActionLimits = ({ limit }: Endpoint, sender: ActionSender): AttemptLimit[] =>
  isActionLimit(limit) ? LIMITS_BY_ACTION[limit](sender) : []

/** `what` completes "There were 100 …". */
const createLimit = (
  text: string,
  what: string,
  maxAttempts: number,
  windowMs: number,
): Omit<AttemptLimit, 'counts'> => ({
  name: hash('sha256', text),
  maxAttempts,
  windowMs,
  sentence: `There were ${maxAttempts.toLocaleString('en')} ${what} within ${describeDuration(windowMs)}.`,
})

const limitFailures = (text: string, what: string, maxAttempts = 10): AttemptLimit => ({
  ...createLimit(text, what, maxAttempts, 15 * MINUTE_MS),
  counts: 'consecutive_failures',
})

const limitUses = (
  text: string,
  what: string,
  maxAttempts: number,
  windowMs: number,
): AttemptLimit => ({ ...createLimit(text, what, maxAttempts, windowMs), counts: 'uses' })

/**
 * Runs `verify` unless one of the limits is exhausted; then throws 429 `too_many_attempts`. The
 * attempt counts before `verify` begins, so that parallel attempts cannot get around the limit. It is
 * taken back if `verify` throws, if it returns true where failures count, or false where uses do.
 * `verify` gets the number of attempts that each limit has counted, with this one, by its name.
 */
export const withAttemptLimits = (
  storage: Storage,
  limits: readonly AttemptLimit[],
  verify: (counts: ReadonlyMap<string, number>) => Promise<boolean>,
): Promise<boolean> => attempt(storage, limits, verify, (isRight) => isRight)

/**
 * Runs an action, which counts against the limits of its endpoint if it succeeds. Throws 429
 * `too_many_attempts` if one of them is exhausted.
 */
export const withActionLimits = <T>(
  storage: Storage,
  endpoint: Endpoint,
  sender: ActionSender,
  action: () => Promise<T>,
): Promise<T> => attempt(storage, listActionLimits(endpoint, sender), action, () => true)

async function attempt<T>(
  storage: Storage,
  limits: readonly AttemptLimit[],
  verify: (counts: ReadonlyMap<string, number>) => Promise<T>,
  isSuccess: (result: T) => boolean,
): Promise<T> {
  if (limits.length === 0) return verify(new Map())
  // An error thrown after a change would roll back all writes that share its commit.
  const { refusal, counts } = await storage.write(ANONYMOUS_ACTOR, (tx) =>
    countAttempts(tx, limits),
  )
  if (refusal) throw refusal
  const takeBack = async (taken: readonly AttemptLimit[], isRight: boolean) => {
    if (taken.length === 0) return
    await storage.write(ANONYMOUS_ACTOR, async (tx) => {
      for (const limit of sortLimits(taken)) await takeBackAttempt(tx, limit, isRight)
    })
  }
  let result: T
  try {
    result = await verify(counts)
  } catch (error) {
    await takeBack(limits, false)
    throw error
  }
  const isRight = isSuccess(result)
  const taken = limits.filter((limit) => (limit.counts === 'uses') !== isRight)
  await takeBack(taken, isRight)
  return result
}

/**
 * Counts an attempt, or `weight` of them, in all counters. If one of them is exhausted, it changes
 * nothing and returns the error to throw.
 */
export async function countAttempts(
  tx: WriteTx,
  limits: readonly AttemptLimit[],
  weight = 1,
): Promise<{ refusal: ApiError | undefined; counts: ReadonlyMap<string, number> }> {
  const sorted = sortLimits(limits)
  const counts = new Map<string, number>()
  // Read first, because locking creates the row of a counter: an exhausted address would otherwise
  // create one for each email address that it tries.
  const exhausted: { limit: AttemptLimit; waitMs: number }[] = []
  for (const limit of sorted) {
    const waitMs = waitFor(
      tx,
      limit,
      parseCounter(await tx.one(attemptsBySubject, { subject: limit.name })),
    )
    if (waitMs > 0) exhausted.push({ limit, waitMs })
  }
  const counters: (AttemptCounter & { limit: AttemptLimit })[] = []
  for (const limit of exhausted.length > 0 ? [] : sorted) {
    const counter = await lockCounter(tx, limit)
    // Another process may have used up the last attempt since.
    const waitMs = waitFor(tx, limit, counter)
    if (waitMs > 0) exhausted.push({ limit, waitMs })
    counters.push({ ...counter, limit })
  }
  const [longest] = exhausted.toSorted((a, b) => b.waitMs - a.waitMs)
  if (longest) {
    return { refusal: tooManyAttempts(longest.limit.sentence, longest.waitMs), counts }
  }
  for (const { limit, attempts } of counters) {
    const recent = addAttempt(limit, recentAttempts(tx, limit, attempts), [tx.nowMs, weight])
    const count = sum(recent)
    counts.set(limit.name, count)
    const blockMs = blockAfter(limit, count)
    const blocked_until = blockMs === 0 ? '' : timestampOf(tx.nowMs + blockMs)
    await updateCounter(tx, limit, recent, blocked_until)
  }
  return { refusal: undefined, counts }
}

/** Forgets all attempts that a limit has counted. */
export const clearAttempts = (tx: WriteTx, limit: AttemptLimit): Promise<void> =>
  updateCounter(tx, limit, [], '')

/** How long the attempts after the counted ones are blocked; 0: not at all, or until uses expire. */
function blockAfter({ counts, maxAttempts }: AttemptLimit, count: number): number {
  if (counts === 'uses' || count < maxAttempts) return 0
  if (counts !== 'guesses') return BLOCKED_MS
  return Math.min(MAX_BLOCKED_MS, BLOCKED_MS * 2 ** (count - maxAttempts))
}

/** Milliseconds until the next attempt is allowed; 0 or less if it is allowed now. */
function waitFor(
  tx: WriteTx,
  limit: AttemptLimit,
  { blocked_until, attempts }: AttemptCounter,
): number {
  if (limit.counts !== 'uses') return Date.parse(blocked_until || '1970-01-01') - tx.nowMs
  const recent = recentAttempts(tx, limit, attempts)
  let left = sum(recent)
  for (const [at, weight] of recent) {
    if (left < limit.maxAttempts) break
    left -= weight
    if (left < limit.maxAttempts) return at + limit.windowMs - tx.nowMs
  }
  return 0
}

/** When attempts were counted, in milliseconds since 1970, and how many. */
type CountedAttempts = readonly [at: number, weight: number]

interface AttemptCounter {
  blocked_until: string
  attempts: readonly CountedAttempts[]
}

const sum = (attempts: readonly CountedAttempts[]): number =>
  attempts.reduce((total, [, weight]) => total + weight, 0)

const recentAttempts = (
  { nowMs }: WriteTx,
  { windowMs }: AttemptLimit,
  attempts: readonly CountedAttempts[],
): readonly CountedAttempts[] => attempts.filter(([at]) => at > nowMs - windowMs)

/**
 * Keeps the row of a large limit short: attempts within a hundredth of the window leave it together,
 * with the newest of them.
 */
function addAttempt(
  { maxAttempts, windowMs }: AttemptLimit,
  attempts: readonly CountedAttempts[],
  [at, weight]: CountedAttempts,
): readonly CountedAttempts[] {
  const last = attempts.at(-1)
  const before = attempts.at(-2)
  const isTogether = maxAttempts > 100 && last && at - (before?.[0] ?? 0) < windowMs / 100
  return isTogether
    ? [...attempts.slice(0, -1), [at, last[1] + weight]]
    : [...attempts, [at, weight]]
}

async function takeBackAttempt(tx: WriteTx, limit: AttemptLimit, isRight: boolean): Promise<void> {
  const { attempts } = await lockCounter(tx, limit)
  const isCleared = isRight && CLEARED_BY_SUCCESS.has(limit.counts)
  const [at, weight] = attempts.at(-1) ?? [0, 1]
  const last: CountedAttempts[] = weight > 1 ? [[at, weight - 1]] : []
  await updateCounter(tx, limit, isCleared ? [] : [...attempts.slice(0, -1), ...last], '')
}

const CLEARED_BY_SUCCESS: ReadonlySet<AttemptLimit['counts']> = new Set([
  'consecutive_failures',
  'guesses',
])

/**
 * Reads a counter and locks it until the transaction ends: on PostgreSQL other processes count too.
 */
async function lockCounter(tx: WriteTx, { name, windowMs }: AttemptLimit): Promise<AttemptCounter> {
  const kept_until = timestampOf(tx.nowMs + Math.max(windowMs, BLOCKED_MS))
  await tx.run(upsertAndLockAttempts, {
    subject: name,
    kept_until,
    failed_at: '[]',
    blocked_until: '',
  })
  return parseCounter(await tx.one(attemptsBySubject, { subject: name }))
}

function parseCounter(
  row: Pick<SignInAttemptsRow, 'failed_at' | 'blocked_until'> | undefined,
): AttemptCounter {
  const stored = JSON.parse(row?.failed_at ?? '[]') as (number | CountedAttempts)[]
  const attempts = stored.map((entry) =>
    typeof entry === 'number' ? ([entry, 1] as const) : entry,
  )
  return { blocked_until: row?.blocked_until ?? '', attempts }
}

async function updateCounter(
  tx: WriteTx,
  { name }: AttemptLimit,
  attempts: readonly CountedAttempts[],
  blocked_until: string,
): Promise<void> {
  const failed_at = JSON.stringify(attempts.map((entry) => (entry[1] === 1 ? entry[0] : entry)))
  await tx.run(updateAttempts, { subject: name, failed_at, blocked_until })
}

/** A fixed order prevents deadlocks between two attempts that share limits. */
const sortLimits = (limits: readonly AttemptLimit[]): AttemptLimit[] =>
  limits.toSorted((a, b) => (a.name < b.name ? -1 : 1))

/** 429 with a sentence that says what there were too many of, and when to try again. */
function tooManyAttempts(sentence: string, ms: number): ApiError {
  const message = `${sentence} Try again in ${describeDuration(ms)}.`
  const headers = { 'retry-after': String(Math.ceil(ms / 1000)) }
  return new ApiError(429, 'too_many_attempts', message, { headers })
}

/** In the largest unit of which there are at least two, rounded up. */
function describeDuration(ms: number): string {
  if (ms >= 2 * HOUR_MS) return `${Math.ceil(ms / HOUR_MS)} hours`
  if (ms >= 2 * MINUTE_MS) return `${Math.ceil(ms / MINUTE_MS)} minutes`
  const seconds = Math.ceil(ms / 1000)
  return seconds === 1 ? '1 second' : `${seconds} seconds`
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
