import type { Adapter, AdapterPayload } from 'oidc-provider'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { ReadTx, Storage } from '#core/transaction.ts'
import type { OAuthRecordRow } from '#db/schema/tables.ts'
import { type Clock, timestampOf } from '#lib/clock.ts'
import { DAY_MS } from '#lib/durations.ts'
import { grantById } from './grants.ts'
import { findOidcClient } from './oauth-client.ts'
import {
  hashOAuthValue,
  type OAuthRecordKind,
  oauthRecordByHash,
  refreshWindowMs,
} from './oauth-records.ts'
import { type OAuthUnitOfWork, unitStorage } from './unit-of-work.ts'

const KINDS: readonly string[] = [
  'Interaction',
  'AuthorizationCode',
  'AccessToken',
  'RefreshToken',
] satisfies OAuthRecordKind[]

/**
 * The addresses of the one resource: with a trailing slash, because that is how URL classes write an origin, and that
 * of the Model Context Protocol, which is another way to the same data.
 */
export const resourceAddresses = (baseUrl: string): readonly string[] => [
  baseUrl,
  `${baseUrl}/`,
  `${baseUrl}/mcp`,
]

/** Expired codes are kept for this time, so that their replay is detected. */
const CODE_REPLAY_TTL_MS = DAY_MS

/**
 * The storage adapter of oidc-provider. It reads from the database; writes are collected in the
 * unit of work of the request. The library identifies codes and tokens by their value (`jti`); only
 * the hash is stored.
 */
export const createOidcAdapter =
  (storage: Storage, baseUrl: string) =>
  (kind: string): Adapter => {
    const find = createFind(storage, baseUrl, kind)
    return {
      find,
      async upsert(value, payload, lifetimeS = 0) {
        if (!KINDS.includes(kind)) return
        const unit = currentUnit()
        // By the clock of stored times, with which it is compared, not by that of the library.
        const endsAtMs = storage.clock.now() + lifetimeS * 1000
        unit.newRecords.push(
          toRecord(storage.clock, kind, hashOAuthValue(value), payload, endsAtMs, unit),
        )
      },
      async consume(value) {
        const unit = currentUnit()
        const token = unit.presentedTokens.get(hashOAuthValue(value))
        if (token && (kind === 'AuthorizationCode' || kind === 'RefreshToken')) {
          unit.consumedToken = { kind, value, ...token }
        }
      },
      async destroy(value) {
        if (kind === 'Interaction') currentUnit().consumedInteractions.push(hashOAuthValue(value))
        // Codes and tokens are removed together with their grant, which the library revokes after
        // them.
        if (kind === 'RefreshToken') {
          currentUnit().destroyedRefreshToken = currentUnit().presentedTokens.get(
            hashOAuthValue(value),
          )
        }
        if (kind === 'Grant') currentUnit().revokedGrantIds.add(value)
      },
      async revokeByGrantId(grant_id) {
        currentUnit().revokedGrantIds.add(grant_id)
      },
      // Only sessions and device codes are looked up this way; we have neither.
      findByUid: async () => undefined,
      findByUserCode: async () => undefined,
    }
  }

function currentUnit(): OAuthUnitOfWork {
  const unit = unitStorage.getStore()
  if (!unit) throw new Error('The authorization server works for no request')
  return unit
}

type FindPayload = (value: string) => Promise<AdapterPayload | undefined>

function createFind(storage: Storage, baseUrl: string, kind: string): FindPayload {
  const read = <T>(work: (tx: ReadTx) => Promise<T>) => storage.read(ANONYMOUS_ACTOR, work)
  if (kind === 'Client') return (id) => read((tx) => findOidcClient(tx, id))
  if (kind === 'Grant') {
    return async (id) => {
      const grant = await read((tx) => tx.one(grantById, { id }))
      if (!grant) return undefined
      unitStorage.getStore()?.setWorkspaceOf(grant)
      const scope = registeredScopesOf(JSON.parse(grant.scopes) as string[], grant)
      return {
        kind,
        jti: id,
        accountId: grant.user_id,
        clientId: grant.application_id,
        iat: toSeconds(grant.created_at),
        exp: toSeconds(grant.expires_at),
        openid: { scope },
        resources: Object.fromEntries(resourceAddresses(baseUrl).map((one) => [one, scope])),
      }
    }
  }
  if (!KINDS.includes(kind)) return async () => undefined
  return async (value) => {
    const hash = hashOAuthValue(value)
    const record = await read((tx) => tx.one(oauthRecordByHash, { kind, hash }))
    if (!record) return undefined
    const isPublicClient = record.client_type === 'public'
    if (record.grant_id !== null) {
      const { grant_id } = record
      unitStorage.getStore()?.presentedTokens.set(hash, { hash, grant_id, isPublicClient })
      unitStorage.getStore()?.setWorkspaceOf(record)
    }
    const payload = JSON.parse(record.payload) as AdapterPayload
    payload.jti = value
    // There is one resource, and its address changes with the base URL of the installation.
    if (payload.resource !== undefined) payload.resource = baseUrl
    if (payload.aud !== undefined) payload.aud = baseUrl
    if (kind === 'AccessToken') {
      const grant = await read((tx) => tx.one(grantById, { id: record.grant_id ?? '' }))
      if (grant) payload.scope = registeredScopesOf((payload.scope ?? '').split(' '), grant)
    }
    if (kind === 'AuthorizationCode' && record.used_at !== null) {
      // The library checks the expiry first and would not report the second use.
      return { ...payload, consumed: true, exp: Math.floor(Date.now() / 1000) + 60 }
    }
    const isSpent =
      record.ended === 1 ||
      (record.used_at !== null &&
        record.used_at <= timestampOf(storage.clock.now() - refreshWindowMs(isPublicClient)))
    return kind === 'RefreshToken' && isSpent ? { ...payload, consumed: true } : payload
  }
}

/** Keeps the scopes that the application is still registered for. */
function registeredScopesOf(
  scopes: readonly string[],
  grant: { registered_scopes: string },
): string {
  const registered = new Set(JSON.parse(grant.registered_scopes) as string[])
  return scopes.filter((scope) => registered.has(scope)).join(' ')
}

function toRecord(
  clock: Clock,
  kind: string,
  hash: string,
  payload: AdapterPayload,
  endsAtMs: number,
  unit: OAuthUnitOfWork,
): OAuthRecordRow {
  const { jti = '', ...stored } = payload
  const isRotation = kind === 'RefreshToken' && unit.consumedToken?.kind === 'RefreshToken'
  const expiresAtMs = endsAtMs + (kind === 'AuthorizationCode' ? CODE_REPLAY_TTL_MS : 0)
  const isInteraction = kind === 'Interaction'
  return {
    kind,
    hash,
    grant_id: isInteraction ? null : (payload.grantId ?? null),
    parent_hash: isRotation ? (unit.consumedToken?.hash ?? null) : null,
    session_id: isInteraction ? unit.session_id : null,
    payload: JSON.stringify(
      isInteraction ? { ...withoutValue(stored, jti), begun_at: clock.now() } : stored,
    ),
    used_at: null,
    ended: 0,
    expires_at: timestampOf(expiresAtMs),
    repeated_at: null,
    used_from: null,
  }
}

/**
 * Removes the value from the end of the URL to return to: the value is a secret that cookies
 * contain.
 */
const withoutValue = ({ returnTo = '', ...rest }: AdapterPayload, value: string) => ({
  ...rest,
  returnTo: returnTo.endsWith(value) ? returnTo.slice(0, -value.length) : returnTo,
})

const toSeconds = (timestamp: string): number => Math.floor(Date.parse(timestamp) / 1000)
