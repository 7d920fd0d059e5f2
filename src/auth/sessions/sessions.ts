import { hash, randomBytes } from 'node:crypto'
import type { ExpressionBuilder } from 'kysely'
import { ANONYMOUS_ACTOR, type UserActor } from '#core/actor.ts'
import type { ReadTx, Storage, WriteTx } from '#core/transaction.ts'
import { pickSlots, unscopedCommand, unscopedQuery } from '#db/core/statement.ts'
import type { SessionRow, Tables } from '#db/schema/tables.ts'
import { timestampOf } from '#lib/clock.ts'
import { DAY_MS } from '#lib/durations.ts'
import { newId } from '#lib/id.ts'
import { normalizeAddress } from '#lib/ip-address.ts'
import type { SignInMethod } from '#wire/audit-actions.ts'
import { rolesWith } from '#wire/rights.ts'
import { SCOPES, type Scope } from '#wire/scopes.ts'
import { ACTOR_COLUMNS } from '../actor-columns.ts'

/**
 * The name of the session cookie. Over https the `__Host-` prefix makes browsers accept the cookie
 * only from this host and only over encrypted transport (docs/spec/api.md#session-cookie).
 */
export const sessionCookieName = (baseUrl: string): string =>
  baseUrl.startsWith('https:') ? '__Host-session' : 'docket_session'

/**
 * Reads a cookie from a Cookie header. Returns undefined also if the cookie occurs with two values:
 * then another site of the same domain has planted one, and we cannot know which is ours.
 */
export function readCookie(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined
  let found: string | undefined
  for (const part of header.split(';')) {
    const equals = part.indexOf('=')
    if (equals === -1 || part.slice(0, equals).trim() !== name) continue
    const value = part.slice(equals + 1).trim()
    if (found !== undefined && found !== value) return undefined
    found = value
  }
  return found
}

/** Whether a text has the format of a session cookie's value: 32 bytes in base64url. */
export const isSessionCookieValue = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text)

/**
 * A session ends after this time without use, and at the latest after its lifetime (docs/spec/api.md#session-cookie).
 */
const IDLE_TIMEOUT_MS = 7 * DAY_MS
const LIFETIME_MS = 30 * DAY_MS
const MAX_USER_AGENT_LENGTH = 200

/** A web session has all scopes (docs/spec/api.md#scopes). */
const ALL_SCOPES: ReadonlySet<Scope> = new Set(SCOPES)

/** A new session. `value` is the cookie's value; it is returned only this once. */
export interface CreatedSession {
  id: string
  value: string
}

interface NewSession {
  user_id: string
  /** The current workspace of the session. The user must be a member of it. */
  workspace_id: string
  /** The browser's User-Agent header. */
  user_agent: string
  /** The IP address of the client. */
  address?: string | undefined
  /** How the user has signed in, and with how many factors. */
  signed_in_by?: SignInMethod | null
  factors?: 1 | 2
  /** The session that this one continues: it began then, and ends when that would have ended. */
  continued?: Pick<SessionRow, 'created_at' | 'expires_at'> | undefined
}

/** Creates a session. It always has a new random value, which prevents session fixation. */
export async function createSession(tx: WriteTx, input: NewSession): Promise<CreatedSession> {
  const session = { id: newId('ses', tx.nowMs), value: randomBytes(32).toString('base64url') }
  await tx.run(insertSession, {
    id: session.id,
    hash: hashSessionCookie(session.value),
    user_id: input.user_id,
    stands_in: input.workspace_id,
    user_agent: input.user_agent.slice(0, MAX_USER_AGENT_LENGTH),
    address: input.address === undefined ? null : normalizeAddress(input.address),
    signed_in_by: input.signed_in_by ?? null,
    two_factors: input.factors === 2 ? 1 : 0,
    created_at: input.continued?.created_at ?? tx.now,
    last_used_at: tx.now,
    expires_at: input.continued?.expires_at ?? timestampOf(tx.nowMs + LIFETIME_MS),
  })
  return session
}

/** Returns the actor of a session cookie, or undefined if the session is unknown or has ended. */
export async function authenticateSession(
  storage: Storage,
  value: string,
  now: number,
): Promise<UserActor | undefined> {
  const stored = await storage.read(ANONYMOUS_ACTOR, (tx) =>
    tx.one(sessionByHash, { hash: hashSessionCookie(value) }),
  )
  if (!stored || hasExpired(stored, now)) return undefined
  const { last_used_at, signed_in_by, two_factors, requires, totp, passkey, ...actor } = stored
  return {
    ...actor,
    type: 'user',
    credential_name: null,
    scopes: ALL_SCOPES,
    has_passed_second_factor: hasPassedSecondFactor(stored),
    workspace_requires_second_factor: requires === 1,
  }
}

type SessionState = NonNullable<typeof sessionState.rowType>

const hasExpired = (
  { expires_at, last_used_at }: Pick<SessionState, 'expires_at' | 'last_used_at'>,
  now: number,
): boolean => expires_at <= timestampOf(now) || last_used_at <= computeIdleCutoff(now)

/** The second factor counts as long as it exists: a user who removes it must set up another. */
const hasPassedSecondFactor = ({ signed_in_by, two_factors, totp, passkey }: SessionState) =>
  signed_in_by === 'company' || (two_factors === 1 && (totp !== null || passkey !== null))

/**
 * Whether a session has ended, or lacks a second factor that the workspace requires: what was set up
 * with it waits then.
 */
export async function isSessionRefused(
  tx: ReadTx,
  id: string,
  workspace: { requires_second_factor: number },
): Promise<boolean> {
  const stored = await tx.one(sessionState, { id })
  if (!stored || hasExpired(stored, tx.nowMs)) return true
  return workspace.requires_second_factor === 1 && !hasPassedSecondFactor(stored)
}

export const hashSessionCookie = (value: string): string => hash('sha256', value)

/** Sessions that were not used after this time have ended. */
export const computeIdleCutoff = (now: number): string => timestampOf(now - IDLE_TIMEOUT_MS)

const STATE_COLUMNS = [
  'sessions.expires_at',
  'sessions.last_used_at',
  'sessions.signed_in_by',
  'sessions.two_factors',
] as const

/** A second factor that the user of the session has now, of each kind. */
const secondFactorsOfUser = (is: ExpressionBuilder<Tables, 'sessions'>) =>
  [
    is
      .selectFrom('second_factors')
      .select('second_factors.user_id')
      .whereRef('second_factors.user_id', '=', 'sessions.user_id')
      .where('second_factors.enabled_at', 'is not', null)
      .as('totp'),
    is
      .selectFrom('passkeys')
      .select('passkeys.id')
      .whereRef('passkeys.user_id', '=', 'sessions.user_id')
      .limit(1)
      .as('passkey'),
  ] as const

const sessionState = unscopedQuery((db, $: { id: string }) =>
  db
    .selectFrom('sessions')
    .select(STATE_COLUMNS)
    .select(secondFactorsOfUser)
    .where('sessions.id', '=', $.id),
)

/**
 * A session with all columns of an actor. No row if its user is no longer a member, or if the
 * workspace is deleted and the user is not an owner.
 */
const sessionByHash = unscopedQuery((db, $: { hash: string }) =>
  db
    .selectFrom('sessions')
    .innerJoin('memberships', (join) =>
      join
        .onRef('memberships.workspace_id', '=', 'sessions.workspace_id')
        .onRef('memberships.user_id', '=', 'sessions.user_id'),
    )
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .innerJoin('workspaces', 'workspaces.id', 'sessions.workspace_id')
    .select([
      'sessions.workspace_id',
      'sessions.user_id',
      'sessions.id as credential_id',
      ...STATE_COLUMNS,
      'workspaces.requires_second_factor as requires',
      ...ACTOR_COLUMNS,
    ])
    .select(secondFactorsOfUser)
    .where('sessions.hash', '=', $.hash)
    .where('memberships.removed_at', 'is', null)
    .where((is) =>
      is.or([
        is('workspaces.deleted_at', 'is', null),
        is('memberships.role', 'in', rolesWith('own_workspace')),
      ]),
    ),
)

/** The transaction would fill in a slot `workspace_id`, but it may belong to no workspace. */
type SessionInsert = Omit<
  SessionRow,
  'workspace_id' | 'address' | 'signed_in_by' | 'two_factors' | 'confirmed_at'
> & {
  stands_in: string
  address: string | null
  signed_in_by: string | null
  two_factors: number
}
const insertSession = unscopedCommand((db, $: SessionInsert) =>
  db.insertInto('sessions').values({
    ...pickSlots($, 'id', 'hash', 'user_id', 'user_agent', 'signed_in_by', 'two_factors'),
    ...pickSlots($, 'address', 'created_at', 'last_used_at', 'expires_at'),
    workspace_id: $.stands_in,
  }),
)

/** After the user has shown a second factor, the session counts as one with two factors. */
export const markSecondFactorShown = unscopedCommand((db, $: { id: string; user_id: string }) =>
  db
    .updateTable('sessions')
    .set({ two_factors: 1 })
    .where('id', '=', $.id)
    .where('user_id', '=', $.user_id),
)

export const sessionById = unscopedQuery((db, $: { id: string; user_id: string }) =>
  db
    .selectFrom('sessions')
    .select(['id', 'created_at', 'confirmed_at', 'expires_at'])
    .where('id', '=', $.id)
    .where('user_id', '=', $.user_id),
)

export const touchSession = unscopedCommand((db, $: { id: string; at: string }) =>
  db.updateTable('sessions').set({ last_used_at: $.at }).where('id', '=', $.id),
)
