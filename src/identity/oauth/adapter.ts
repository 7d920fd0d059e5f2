import type { Adapter, AdapterPayload } from 'oidc-provider'
import { NOBODY } from '#core/actor.ts'
import type { ReadTx, Storage } from '#core/tx.ts'
import { type Clock, timestampOf } from '#lib/clock.ts'
import type { OAuthRecordRow } from '#storage/tables.ts'
import { clientById } from './clients.ts'
import { grantById } from './grants.ts'
import { GRACE_MS, hashOfValue, type RecordKind, recordByHash } from './records.ts'
import { type Unit, units } from './unit.ts'

const KINDS: readonly string[] = [
  'Interaction',
  'AuthorizationCode',
  'AccessToken',
  'RefreshToken',
] satisfies RecordKind[]
/** A code is remembered so much longer than it lasts, so that a second use is known for what it is. */
const REPLAY_MS = 24 * 60 * 60 * 1000

/**
 * What the library reads and writes. It reads from the store, and what it writes becomes part of the
 * unit of work of its request. The value of a code or token is its name to the library (`jti`): here
 * only the hash is kept.
 */
export const adapter =
  (storage: Storage, baseUrl: string) =>
  (kind: string): Adapter => {
    const find = finder(storage, baseUrl, kind)
    return {
      find,
      async upsert(value, payload) {
        if (!KINDS.includes(kind)) return
        const unit = unitAtHand()
        unit.saved.push(recordOf(storage.clock, kind, hashOfValue(value), payload, unit))
      },
      async consume(value) {
        const [unit, hash] = [unitAtHand(), hashOfValue(value)]
        const grant_id = unit.found.get(hash) ?? ''
        if (kind === 'AuthorizationCode' || kind === 'RefreshToken') {
          unit.used = { kind, hash, grant_id }
        }
      },
      async destroy(value) {
        if (kind === 'Interaction') unitAtHand().taken.push(hashOfValue(value))
        // Codes and tokens end with their grant alone, which the library revokes after them.
        if (kind === 'Grant') unitAtHand().revoked.add(value)
      },
      async revokeByGrantId(grant_id) {
        unitAtHand().revoked.add(grant_id)
      },
      // Found by other names are sessions and devices, of which there are none.
      findByUid: async () => undefined,
      findByUserCode: async () => undefined,
    }
  }

function unitAtHand(): Unit {
  const unit = units.getStore()
  if (!unit) throw new Error('The authorization server works for no request')
  return unit
}

type Find = (value: string) => Promise<AdapterPayload | undefined>

function finder(storage: Storage, baseUrl: string, kind: string): Find {
  const read = <T>(work: (tx: ReadTx) => Promise<T>) => storage.read(NOBODY, work)
  if (kind === 'Client') return (id) => read((tx) => clientById(tx, id))
  if (kind === 'Grant') {
    return async (id) => {
      const grant = await read((tx) => tx.one(grantById, { id }))
      if (!grant) return undefined
      units.getStore()?.enter(grant)
      const scope = allowedNow(JSON.parse(grant.scopes) as string[], grant)
      return {
        ...{ kind, jti: id, accountId: grant.user_id, clientId: grant.application_id },
        iat: secondsOf(grant.created_at),
        exp: secondsOf(grant.expires_at),
        openid: { scope },
        resources: { [baseUrl]: scope, [`${baseUrl}/`]: scope },
      }
    }
  }
  if (!KINDS.includes(kind)) return async () => undefined
  return async (value) => {
    const hash = hashOfValue(value)
    const found = await read((tx) => tx.one(recordByHash, { kind, hash }))
    if (!found) return undefined
    if (found.grant_id !== null) {
      units.getStore()?.found.set(hash, found.grant_id)
      units.getStore()?.enter(found)
    }
    const payload = JSON.parse(found.payload) as AdapterPayload
    payload.jti = value
    // There is one, and it moves with the installation.
    if (payload.resource !== undefined) payload.resource = baseUrl
    if (payload.aud !== undefined) payload.aud = baseUrl
    if (kind === 'AccessToken') {
      const grant = await read((tx) => tx.one(grantById, { id: found.grant_id ?? '' }))
      if (grant) payload.scope = allowedNow((payload.scope ?? '').split(' '), grant)
    }
    if (kind === 'AuthorizationCode' && found.used_at !== null) {
      // The library looks at the time first, and would say nothing of the second use.
      return { ...payload, consumed: true, exp: Math.floor(Date.now() / 1000) + 60 }
    }
    const spent =
      found.ended === 1 ||
      (found.used_at !== null && found.used_at <= timestampOf(storage.clock.now() - GRACE_MS))
    return kind === 'RefreshToken' && spent ? { ...payload, consumed: true } : payload
  }
}

/** Of some scopes those that the application may still ask for. */
function allowedNow(scopes: readonly string[], grant: { registered_scopes: string }): string {
  const registered = new Set(JSON.parse(grant.registered_scopes) as string[])
  return scopes.filter((scope) => registered.has(scope)).join(' ')
}

function recordOf(
  clock: Clock,
  kind: string,
  hash: string,
  payload: AdapterPayload,
  unit: Unit,
): OAuthRecordRow {
  const { jti = '', ...kept } = payload
  const isReplacing = kind === 'RefreshToken' && unit.used?.kind === 'RefreshToken'
  const ends = (payload.exp ?? 0) * 1000 + (kind === 'AuthorizationCode' ? REPLAY_MS : 0)
  const isInteraction = kind === 'Interaction'
  return {
    ...{ kind, hash, grant_id: isInteraction ? null : (payload.grantId ?? null) },
    parent_hash: isReplacing ? (unit.used?.hash ?? null) : null,
    session_id: isInteraction ? unit.session_id : null,
    payload: JSON.stringify(
      isInteraction ? { ...unnamed(kept, jti), begun_at: clock.now() } : kept,
    ),
    used_at: null,
    ended: 0,
    expires_at: timestampOf(ends),
  }
}

/** The address at which the browser goes on ends with the value, which stands in cookies: it is left off. */
const unnamed = ({ returnTo = '', ...kept }: AdapterPayload, value: string) => ({
  ...kept,
  returnTo: returnTo.endsWith(value) ? returnTo.slice(0, -value.length) : returnTo,
})

const secondsOf = (timestamp: string): number => Math.floor(Date.parse(timestamp) / 1000)
