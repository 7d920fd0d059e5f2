import { hash } from 'node:crypto'
import { commandOfAll, queryOfAll, row } from '#storage/statement.ts'
import type { OAuthRecordRow } from '#storage/tables.ts'

/** What the authorization server keeps of its own, as the library names it. */
export type RecordKind = 'Interaction' | 'AuthorizationCode' | 'AccessToken' | 'RefreshToken'

/** By which a record is found: of its value nothing else is kept. */
export const hashOfValue = (value: string): string => hash('sha256', value)

/** For so long a refresh token may be presented again, as its reply may have been lost (contract 4.4). */
export const GRACE_MS = 30_000

type Named = { kind: string; hash: string }

export const recordByHash = queryOfAll((db, $: Named) =>
  db
    .selectFrom('oauth_records')
    .leftJoin('grants', 'grants.id', 'oauth_records.grant_id')
    .select([
      ...(['payload', 'grant_id', 'session_id', 'used_at', 'ended'] as const),
      ...(['oauth_records.expires_at', 'grants.workspace_id'] as const),
    ])
    .where('kind', '=', $.kind)
    .where('hash', '=', $.hash),
)

export const insertRecord = commandOfAll((db, $: OAuthRecordRow) =>
  db
    .insertInto('oauth_records')
    .values(
      row(
        $,
        ...(['kind', 'hash', 'grant_id', 'parent_hash', 'session_id', 'payload'] as const),
        ...(['used_at', 'ended', 'expires_at'] as const),
      ),
    ),
)

/** Takes a record away; 0 if another was quicker. */
export const takeRecord = commandOfAll((db, $: Named) =>
  db.deleteFrom('oauth_records').where('kind', '=', $.kind).where('hash', '=', $.hash),
)

/** Uses up a code; 0 if it was used before. */
export const useCode = commandOfAll((db, $: { hash: string; now: string }) =>
  db
    .updateTable('oauth_records')
    .set({ used_at: $.now })
    .where('kind', '=', 'AuthorizationCode')
    .where('hash', '=', $.hash)
    .where('used_at', 'is', null),
)

/** Uses a refresh token, again if it was used shortly before; 0 if it may not be used any more. */
export const useRefreshToken = commandOfAll(
  (db, $: { hash: string; now: string; used_after: string }) =>
    db
      .updateTable('oauth_records')
      .set((is) => ({ used_at: is.fn.coalesce('used_at', is.val($.now)) }))
      .where('kind', '=', 'RefreshToken')
      .where('hash', '=', $.hash)
      .where('ended', '=', 0)
      .where((is) => is.or([is('used_at', 'is', null), is('used_at', '>', $.used_after)])),
)

/** Ends the refresh token that another has replaced, as that one is used now. */
export const endPredecessor = commandOfAll((db, $: { hash: string }) =>
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
 * Ends the others that have replaced the same refresh token. Nothing else has a parent, so the kind is not
 * asked for: PostgreSQL would go through all of that kind while it knows little of a new table.
 */
export const endSiblings = commandOfAll((db, $: { hash: string }) =>
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

/** Gives an interaction that began without a session to the one that answers it; 0 if it has one. */
export const bindInteraction = commandOfAll((db, $: { hash: string; session_id: string }) =>
  db
    .updateTable('oauth_records')
    .set({ session_id: $.session_id })
    .where('kind', '=', 'Interaction')
    .where('hash', '=', $.hash)
    .where('session_id', 'is', null),
)

/** Writes down how an interaction was decided; 0 if it was decided already. */
export const decideInteraction = commandOfAll(
  (db, $: { hash: string; payload: string; now: string }) =>
    db
      .updateTable('oauth_records')
      .set({ payload: $.payload, used_at: $.now })
      .where('kind', '=', 'Interaction')
      .where('hash', '=', $.hash)
      .where('used_at', 'is', null),
)
