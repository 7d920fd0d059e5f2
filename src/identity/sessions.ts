import { hash, randomBytes } from 'node:crypto'
import { type Actor, NOBODY } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/tx.ts'
import { timestampOf } from '#lib/clock.ts'
import { newId } from '#lib/id.ts'
import { commandOfAll, queryOfAll, row } from '#storage/statement.ts'
import type { SessionRow } from '#storage/tables.ts'
import type { SignInMeans } from '#wire/audit.ts'
import { SCOPES, type Scope } from '#wire/scopes.ts'
import { ACTOR_COLUMNS } from './actor-columns.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** A session ends so long after its last use, and so long after its beginning (contract 4.5). */
const IDLE_MS = 7 * DAY_MS
const LASTS_MS = 30 * DAY_MS
const LONGEST_AGENT = 200

/** A web session has all scopes (contract 4.2). */
const ALL: ReadonlySet<Scope> = new Set(SCOPES)

/** A session that has just begun. `value` is that of its cookie, told here and never again. */
export interface Begun {
  id: string
  value: string
}

export interface NewSession {
  user_id: string
  /** In which it stands: the person is a member there. */
  workspace_id: string
  /** Of the browser, as it calls itself. */
  user_agent: string
  /** How the person showed who it is, and by how many factors. */
  signed_in_by?: SignInMeans | null
  factors?: 1 | 2
}

/** Begins a session of a person; always with a value of its own, which nobody could have planted. */
export async function beginSession(tx: WriteTx, wanted: NewSession): Promise<Begun> {
  const begun = { id: newId('ses', tx.instant), value: randomBytes(32).toString('base64url') }
  await tx.run(insertSession, {
    id: begun.id,
    hash: hashOfSession(begun.value),
    user_id: wanted.user_id,
    stands_in: wanted.workspace_id,
    user_agent: wanted.user_agent.slice(0, LONGEST_AGENT),
    signed_in_by: wanted.signed_in_by ?? null,
    two_factors: wanted.factors === 2 ? 1 : 0,
    created_at: tx.now,
    last_used_at: tx.now,
    expires_at: timestampOf(tx.instant + LASTS_MS),
  })
  return begun
}

/** The actor of the session with this value of its cookie; none if it is unknown or has ended. */
export async function findSession(
  storage: Storage,
  value: string,
  now: number,
): Promise<Actor | undefined> {
  const found = await storage.read(NOBODY, (tx) =>
    tx.one(sessionByHash, { hash: hashOfSession(value) }),
  )
  if (!found || found.expires_at <= timestampOf(now)) return undefined
  const { last_used_at, signed_in_by, two_factors, requires, totp, passkey, ...who } = found
  if (last_used_at <= usedSince(now)) return undefined
  // What was shown counts as long as it is there: who gives it up is asked for another.
  const hasShown = two_factors === 1 && (totp !== null || passkey !== null)
  return {
    ...{ ...who, type: 'user', credential_name: null, scopes: ALL },
    is_proven_twice: hasShown || signed_in_by === 'company',
    workspace_requires_second_factor: requires === 1,
  }
}

export const hashOfSession = (value: string): string => hash('sha256', value)

/** A session that was not used since then has ended. */
export const usedSince = (now: number): string => timestampOf(now - IDLE_MS)

/**
 * A session with all that an actor needs to know; none if its person is no longer a member, or is no owner
 * of a workspace that is deleted.
 */
const sessionByHash = queryOfAll((db, $: { hash: string }) =>
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
      'sessions.expires_at',
      'sessions.last_used_at',
      'sessions.signed_in_by',
      'sessions.two_factors',
      'workspaces.requires_second_factor as requires',
      ...ACTOR_COLUMNS,
    ])
    .select((is) => [
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
    ])
    .where('sessions.hash', '=', $.hash)
    .where('memberships.removed_at', 'is', null)
    .where((is) =>
      is.or([is('workspaces.deleted_at', 'is', null), is('memberships.role', '=', 'owner')]),
    ),
)

/** The slot `workspace_id` would be filled in by the transaction, which may be of no workspace. */
type Inserted = Omit<SessionRow, 'workspace_id' | 'signed_in_by' | 'two_factors'> & {
  stands_in: string
  signed_in_by: string | null
  two_factors: number
}
const insertSession = commandOfAll((db, $: Inserted) =>
  db.insertInto('sessions').values({
    ...row($, 'id', 'hash', 'user_id', 'user_agent', 'signed_in_by', 'two_factors'),
    ...row($, 'created_at', 'last_used_at', 'expires_at'),
    workspace_id: $.stands_in,
  }),
)

/** The person has shown a second factor in this session: it counts as one that began with two. */
export const noteSecondFactor = commandOfAll((db, $: { id: string; user_id: string }) =>
  db
    .updateTable('sessions')
    .set({ two_factors: 1 })
    .where('id', '=', $.id)
    .where('user_id', '=', $.user_id),
)

export const touchSession = commandOfAll((db, $: { id: string; at: string }) =>
  db.updateTable('sessions').set({ last_used_at: $.at }).where('id', '=', $.id),
)
