import { hash } from 'node:crypto'
import { pickSlots, unscopedCommand, unscopedQuery } from '#db/core/statement.ts'
import type { OAuthRecordRow } from '#db/schema/tables.ts'
import { HOUR_MS } from '#lib/durations.ts'

/** The kinds of records of the authorization server, named as in the library. */
export type OAuthRecordKind = 'Interaction' | 'AuthorizationCode' | 'AccessToken' | 'RefreshToken'

/** Records are stored and found by this hash; their value is not stored. */
export const hashOAuthValue = (value: string): string => hash('sha256', value)

/**
 * How long a used refresh token is accepted again, because the response may have been lost or several
 * processes refresh at once (docs/spec/api.md#oauth). Programs without a server of their own sleep
 * and share tokens between processes, so they get as long as an access token lives.
 */
export const refreshWindowMs = (isPublicClient: boolean): number =>
  isPublicClient ? HOUR_MS : 30_000

type OAuthRecordKey = { kind: string; hash: string }

export const oauthRecordByHash = unscopedQuery((db, $: OAuthRecordKey) =>
  db
    .selectFrom('oauth_records')
    .leftJoin('grants', 'grants.id', 'oauth_records.grant_id')
    .leftJoin('applications', 'applications.id', 'grants.application_id')
    .select([
      'payload',
      'grant_id',
      'session_id',
      'used_at',
      'ended',
      'oauth_records.expires_at',
      'grants.workspace_id',
      'applications.type as client_type',
    ])
    .where('kind', '=', $.kind)
    .where('hash', '=', $.hash),
)

export const insertOAuthRecord = unscopedCommand((db, $: OAuthRecordRow) =>
  db
    .insertInto('oauth_records')
    .values(
      pickSlots(
        $,
        'kind',
        'hash',
        'grant_id',
        'parent_hash',
        'session_id',
        'payload',
        'used_at',
        'ended',
        'expires_at',
        'repeated_at',
      ),
    )
    // A public application that repeats a refresh gets the successor that is stored already.
    .onConflict((key) => key.columns(['kind', 'hash']).doNothing()),
)

/** Deletes a record. Affects 0 rows if another request was faster. */
export const removeOAuthRecord = unscopedCommand((db, $: OAuthRecordKey) =>
  db.deleteFrom('oauth_records').where('kind', '=', $.kind).where('hash', '=', $.hash),
)

/** Marks a code as used. Affects 0 rows if it was used before. */
export const consumeAuthorizationCode = unscopedCommand((db, $: { hash: string; now: string }) =>
  db
    .updateTable('oauth_records')
    .set({ used_at: $.now })
    .where('kind', '=', 'AuthorizationCode')
    .where('hash', '=', $.hash)
    .where('used_at', 'is', null),
)

/** Marks a refresh token as used. Affects 0 rows if it was used before, or has ended. */
export const consumeRefreshToken = unscopedCommand(
  (db, $: { hash: string; now: string; network: string }) =>
    db
      .updateTable('oauth_records')
      .set({ used_at: $.now, used_from: $.network })
      .where('kind', '=', 'RefreshToken')
      .where('hash', '=', $.hash)
      .where('ended', '=', 0)
      .where('used_at', 'is', null),
)

/** What decides about a refresh token that is presented again. */
export const repeatedRefreshToken = unscopedQuery((db, $: { hash: string }) =>
  db
    .selectFrom('oauth_records as token')
    .leftJoin('oauth_records as parent', (join) =>
      join.on('parent.kind', '=', 'RefreshToken').onRef('parent.hash', '=', 'token.parent_hash'),
    )
    .select(['token.used_at', 'token.used_from', 'token.ended', 'token.repeated_at'])
    .select(['parent.used_at as parent_used_at'])
    .select((is) =>
      is
        .selectFrom('oauth_records as used')
        .select((used) => used.fn.max('used.used_at').as('at'))
        .where('used.kind', '=', 'RefreshToken')
        .whereRef('used.grant_id', '=', 'token.grant_id')
        .as('family_used_at'),
    )
    .where('token.kind', '=', 'RefreshToken')
    .where('token.hash', '=', $.hash),
)

export const noteRepeatedRefreshToken = unscopedCommand((db, $: { hash: string; now: string }) =>
  db
    .updateTable('oauth_records')
    .set({ repeated_at: $.now })
    .where('kind', '=', 'RefreshToken')
    .where('hash', '=', $.hash),
)

/** Ends the refresh token that the given one has replaced, now that the given one is used. */
export const endReplacedRefreshToken = unscopedCommand((db, $: { hash: string }) =>
  db
    .updateTable('oauth_records')
    .set({ ended: 1 })
    .where('kind', '=', 'RefreshToken')
    .where('hash', '=', (is) =>
      is
        .selectFrom('oauth_records as used')
        .select('used.parent_hash')
        .where('used.kind', '=', 'RefreshToken')
        .where('used.hash', '=', $.hash),
    ),
)

/**
 * Ends the other refresh tokens that have replaced the same one. There is no condition on the kind,
 * because only refresh tokens have a parent, and PostgreSQL would scan all of that kind while it
 * has no statistics.
 */
export const endSiblingRefreshTokens = unscopedCommand((db, $: { hash: string }) =>
  db
    .updateTable('oauth_records')
    .set({ ended: 1 })
    .where('hash', '<>', $.hash)
    .where('parent_hash', '=', (is) =>
      is
        .selectFrom('oauth_records as used')
        .select('used.parent_hash')
        .where('used.kind', '=', 'RefreshToken')
        .where('used.hash', '=', $.hash),
    ),
)

/**
 * Binds an interaction that began without a session to one. Affects 0 rows if it has a session
 * already.
 */
export const bindInteractionToSession = unscopedCommand(
  (db, $: { hash: string; session_id: string }) =>
    db
      .updateTable('oauth_records')
      .set({ session_id: $.session_id })
      .where('kind', '=', 'Interaction')
      .where('hash', '=', $.hash)
      .where('session_id', 'is', null),
)

/** Stores the result of an interaction. Affects 0 rows if it was decided already. */
export const saveInteractionResult = unscopedCommand(
  (db, $: { hash: string; payload: string; now: string }) =>
    db
      .updateTable('oauth_records')
      .set({ payload: $.payload, used_at: $.now })
      .where('kind', '=', 'Interaction')
      .where('hash', '=', $.hash)
      .where('used_at', 'is', null),
)
