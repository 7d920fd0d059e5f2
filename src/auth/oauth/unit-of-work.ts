import { AsyncLocalStorage } from 'node:async_hooks'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import type { OAuthRecordRow } from '#db/schema/tables.ts'
import { timestampOf } from '#lib/clock.ts'
import { bumpAuthVersion } from '../auth-version.ts'
import { lockGrant, removeGrantById } from './grants.ts'
import {
  consumeAuthorizationCode,
  consumeRefreshToken,
  endReplacedRefreshToken,
  endSiblingRefreshTokens,
  insertOAuthRecord,
  REFRESH_GRACE_MS,
  removeOAuthRecord,
} from './oauth-records.ts'

interface ConsumedToken {
  kind: 'AuthorizationCode' | 'RefreshToken'
  hash: string
  grant_id: string
}

/**
 * How a unit of work ended: `spent` if it needed a code, token or interaction that was used
 * meanwhile.
 */
export type UnitOutcome = 'done' | 'spent'

/**
 * All changes of one request to the authorization server. The library writes step by step and
 * relies on what it has read before. We collect its writes and run them in one transaction: two
 * concurrent requests with one code never get two pairs of tokens, and a crash leaves nothing half
 * done.
 */
export class OAuthUnitOfWork {
  readonly newRecords: OAuthRecordRow[] = []
  readonly consumedInteractions: string[] = []
  readonly revokedGrantIds = new Set<string>()
  /** The grants of the codes and tokens that the request presents, by their hashes. */
  readonly grantIdsByHash = new Map<string, string>()
  /** The code or refresh token that the request consumes. */
  consumedToken: ConsumedToken | undefined
  /** The session of the browser. Only authorization requests have one. */
  readonly session_id: string | null
  /** Whether the commit has ended access that other processes may have cached. */
  hasRevokedAccess = false
  #workspace_id = ANONYMOUS_ACTOR.workspace_id

  constructor(session_id: string | null) {
    this.session_id = session_id
  }

  /** Makes the commit run in the workspace of this grant. */
  setWorkspaceOf({ workspace_id }: { workspace_id: string | null }): void {
    if (workspace_id !== null) this.#workspace_id = workspace_id
  }

  /** Drops the writes of a rejected request, except revocations. */
  discard(): void {
    this.newRecords.length = 0
    this.consumedInteractions.length = 0
    this.consumedToken = undefined
  }

  async commit(storage: Storage): Promise<UnitOutcome> {
    const { newRecords, consumedInteractions, revokedGrantIds, consumedToken } = this
    if (
      newRecords.length + consumedInteractions.length + revokedGrantIds.size === 0 &&
      !consumedToken
    )
      return 'done'
    // All writes to grants run in the workspace of the grant and are thereby serialized. Otherwise
    // writes that share a commit could deadlock.
    const actor = { ...ANONYMOUS_ACTOR, workspace_id: this.#workspace_id }
    // The callback may run again, so it must not change the state of this object.
    const { end, ended } = await storage.write(actor, async (tx) => {
      if (revokedGrantIds.size > 0)
        return { end: 'done', ended: await revokeGrants(tx, revokedGrantIds) } as const
      if (!(await lockGrantOf(tx, newRecords))) return SPENT
      if (consumedToken && !(await consumeToken(tx, consumedToken))) {
        return { end: 'spent', ended: await revokeGrants(tx, [consumedToken.grant_id]) } as const
      }
      for (const hash of consumedInteractions) {
        if ((await tx.run(removeOAuthRecord, { kind: 'Interaction', hash })) === 0) return SPENT
      }
      await tx.runEach(insertOAuthRecord, newRecords)
      return { end: 'done', ended: false } as const
    })
    this.hasRevokedAccess = ended
    return end
  }
}

const SPENT = { end: 'spent', ended: false } as const

/** Deletes grants. Returns whether any of them still existed. */
async function revokeGrants(tx: WriteTx, ids: Iterable<string>): Promise<boolean> {
  let ended = false
  for (const id of ids) {
    if ((await tx.run(removeGrantById, { id })) === 0) continue
    tx.audit('grant.ended', id, {})
    ended = true
  }
  if (ended) await bumpAuthVersion(tx)
  return ended
}

/** Holds the unit of work of the current request. */
export const unitStorage = new AsyncLocalStorage<OAuthUnitOfWork>()

/**
 * Locks the grant of the new records and extends it to the expiry of its newest refresh token.
 * Returns false if the grant has ended. This must be the first step of the transaction.
 */
async function lockGrantOf(tx: WriteTx, saved: readonly OAuthRecordRow[]): Promise<boolean> {
  const id = saved.find((record) => record.grant_id !== null)?.grant_id
  if (!id) return true
  const latest = saved.findLast((record) => record.kind === 'RefreshToken')
  return (await tx.run(lockGrant, { id, expires_at: latest?.expires_at ?? '' })) > 0
}

/**
 * Consumes a code or refresh token. Returns false if it was spent. The use of a refresh token ends
 * its predecessor and siblings.
 */
async function consumeToken(tx: WriteTx, { kind, hash }: ConsumedToken): Promise<boolean> {
  const { now } = tx
  if (kind === 'AuthorizationCode')
    return (await tx.run(consumeAuthorizationCode, { hash, now })) > 0
  const used_after = timestampOf(tx.nowMs - REFRESH_GRACE_MS)
  if ((await tx.run(consumeRefreshToken, { hash, now, used_after })) === 0) return false
  await tx.run(endReplacedRefreshToken, { hash })
  await tx.run(endSiblingRefreshTokens, { hash })
  return true
}
