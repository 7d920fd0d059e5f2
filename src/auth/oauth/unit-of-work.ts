import { AsyncLocalStorage } from 'node:async_hooks'
import { hash as hashText } from 'node:crypto'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import type { OAuthRecordRow } from '#db/schema/tables.ts'
import { timestampOf } from '#lib/clock.ts'
import { bumpAuthVersion } from '../auth-version.ts'
import { countAttempts, limitSharedRefreshes } from '../sign-in/attempt-limits.ts'
import { notifyOfSecurityChange } from '../users/email-confirmation.ts'
import { grantById, lockGrant, removeGrantById } from './grants.ts'
import {
  consumeAuthorizationCode,
  consumeRefreshToken,
  endReplacedRefreshToken,
  endSiblingRefreshTokens,
  insertOAuthRecord,
  noteRepeatedRefreshToken,
  refreshWindowMs,
  removeOAuthRecord,
  repeatedRefreshToken,
} from './oauth-records.ts'

/** A code or token that a request presents. */
interface PresentedToken {
  hash: string
  grant_id: string
  isPublicClient: boolean
}

interface ConsumedToken extends PresentedToken {
  kind: 'AuthorizationCode' | 'RefreshToken'
  value: string
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
  /** The codes and tokens that the request presents, by their hashes. */
  readonly presentedTokens = new Map<string, PresentedToken>()
  /** The code or refresh token that the request consumes. */
  consumedToken: ConsumedToken | undefined
  /** A refresh token that ends: it is revoked, or it was used before. */
  destroyedRefreshToken: PresentedToken | undefined
  #refusedRefreshToken: PresentedToken | undefined
  /** The session of the browser. Only authorization requests have one. */
  readonly session_id: string | null
  /** Whether the commit has ended access that other processes may have cached. */
  hasRevokedAccess = false
  /** The network of the client; empty for authorization requests, which present no token. */
  readonly #network: string
  #workspace_id = ANONYMOUS_ACTOR.workspace_id

  constructor(session_id: string | null, network = '') {
    this.session_id = session_id
    this.#network = network
  }

  /** Makes the commit run in the workspace of this grant. */
  setWorkspaceOf({ workspace_id }: { workspace_id: string | null }): void {
    if (workspace_id !== null) this.#workspace_id = workspace_id
  }

  /**
   * Drops the writes of a rejected request, except the revocation after the second use of a code. The
   * library would revoke as well after that of any refresh token; `refuseRefreshToken` decides instead.
   */
  discard(): void {
    this.newRecords.length = 0
    this.consumedInteractions.length = 0
    this.consumedToken = undefined
    this.#refusedRefreshToken = this.destroyedRefreshToken
    if (this.#refusedRefreshToken) this.revokedGrantIds.clear()
  }

  async commit(storage: Storage): Promise<UnitOutcome> {
    const { newRecords, consumedInteractions, revokedGrantIds, consumedToken } = this
    const refusedToken = this.#refusedRefreshToken
    if (
      newRecords.length + consumedInteractions.length + revokedGrantIds.size === 0 &&
      !consumedToken &&
      !refusedToken
    )
      return 'done'
    // All writes to grants run in the workspace of the grant and are thereby serialized. Otherwise
    // writes that share a commit could deadlock.
    const actor = { ...ANONYMOUS_ACTOR, workspace_id: this.#workspace_id }
    // The callback may run again, so it must not change the state of this object.
    const { end, ended } = await storage.write(actor, async (tx) => {
      if (revokedGrantIds.size > 0)
        return { end: 'done', ended: await revokeGrants(tx, revokedGrantIds) } as const
      if (refusedToken)
        return { end: 'done', ended: await refuseRefreshToken(tx, refusedToken) } as const
      if (!(await lockGrantOf(tx, newRecords))) return SPENT
      const refusal = consumedToken && (await consumeToken(tx, consumedToken, this.#network))
      if (refusal) return { end: 'spent', ...refusal } as const
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
 * Consumes a code or refresh token. If it was spent, returns whether that has ended its grant. The
 * first use of a refresh token ends its siblings and, unless several processes share one successor, its
 * predecessor.
 */
async function consumeToken(
  tx: WriteTx,
  token: ConsumedToken,
  client: string,
): Promise<{ ended: boolean } | undefined> {
  const { now } = tx
  const { hash, grant_id } = token
  const network = hashNetwork(client, grant_id)
  if (token.kind === 'AuthorizationCode') {
    if ((await tx.run(consumeAuthorizationCode, { hash, now })) > 0) return undefined
    return { ended: await revokeGrants(tx, [grant_id]) }
  }
  if ((await tx.run(consumeRefreshToken, { hash, now, network })) > 0) {
    if (!token.isPublicClient) await tx.run(endReplacedRefreshToken, { hash })
    await tx.run(endSiblingRefreshTokens, { hash })
    return undefined
  }
  const state = await loadRepeatedToken(tx, token)
  if (!state || state.ended === 1 || state.isAfterWindow)
    return { ended: await refuseRefreshToken(tx, token) }
  if (token.isPublicClient && isOtherNetwork(state.used_from ?? network, network)) {
    const { refusal } = await countAttempts(tx, [limitSharedRefreshes(grant_id)])
    if (refusal) return { ended: await endSharedGrant(tx, grant_id) }
  }
  if (state.repeated_at === null) await noteRepeat(tx, token, 'grant.refresh_repeated')
  return undefined
}

/** Identifies a network among those that have used tokens of a grant, without its address. */
const hashNetwork = (network: string, grant_id: string): string =>
  `${network.includes(':') ? 6 : 4} ${hashText('sha256', `${grant_id} ${network}`)}`

/**
 * Of a network with IPv4 and one with IPv6 nobody can tell: a computer that has both chooses anew for
 * each connection.
 */
const isOtherNetwork = (a: string, b: string): boolean => a.charAt(0) === b.charAt(0) && a !== b

/**
 * Ends the grant of an application whose tokens are used in two networks again and again: once or
 * twice a day, a laptop was carried from one to the other. The person learns of it, because somebody
 * may have copied them. The servers of confidential applications may have many addresses, and a thief
 * of one of their tokens lacks the secret.
 */
async function endSharedGrant(tx: WriteTx, id: string): Promise<boolean> {
  const grant = await tx.one(grantById, { id })
  tx.audit('grant.refresh_shared', id, {})
  if (grant) await notifyOfSecurityChange(tx, grant.user_id, 'refresh_token_shared')
  return revokeGrants(tx, [id])
}

/**
 * Decides what the use of a spent refresh token ends. The grant ends if two branches of it go on being
 * used after the window: if the token was replaced, or if it was refused before and its grant has
 * been used since. A token that another one has made superfluous is just refused, because a process
 * that has lost a race is no thief. Returns whether the grant has ended.
 */
async function refuseRefreshToken(tx: WriteTx, token: PresentedToken): Promise<boolean> {
  const state = await loadRepeatedToken(tx, token)
  if (!state) return false
  const { isAfterWindow, isRefusalKnown, used_at, repeated_at, family_used_at } = state
  const isUsedElsewhere = isRefusalKnown && (family_used_at ?? '') > (repeated_at ?? '')
  if (isAfterWindow && (used_at !== null || isUsedElsewhere)) {
    tx.audit('grant.refresh_reused', token.grant_id, {})
    return revokeGrants(tx, [token.grant_id])
  }
  // Only the first one is noted, so that a client that keeps trying does not fill the audit log.
  if (isAfterWindow ? !isRefusalKnown : repeated_at === null) {
    await noteRepeat(tx, token, 'grant.branch_refused')
  }
  return false
}

async function loadRepeatedToken(tx: WriteTx, { hash, isPublicClient }: PresentedToken) {
  const state = await tx.one(repeatedRefreshToken, { hash })
  if (!state) return undefined
  const firstUse = state.used_at ?? state.parent_used_at
  const windowEnd =
    firstUse === null ? '' : timestampOf(Date.parse(firstUse) + refreshWindowMs(isPublicClient))
  return {
    ...state,
    isAfterWindow: windowEnd <= tx.now,
    /** Whether it was presented after its window before. */
    isRefusalKnown: state.repeated_at !== null && state.repeated_at >= windowEnd,
  }
}

async function noteRepeat(
  tx: WriteTx,
  { hash, grant_id }: PresentedToken,
  action: 'grant.refresh_repeated' | 'grant.branch_refused',
): Promise<void> {
  await tx.run(noteRepeatedRefreshToken, { hash, now: tx.now })
  tx.audit(action, grant_id, {})
}
