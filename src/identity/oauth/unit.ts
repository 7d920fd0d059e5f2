import { AsyncLocalStorage } from 'node:async_hooks'
import { NOBODY } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/tx.ts'
import { timestampOf } from '#lib/clock.ts'
import type { OAuthRecordRow } from '#storage/tables.ts'
import { advanceGeneration } from '../generation.ts'
import { endGrant, holdGrant } from './grants.ts'
import {
  endPredecessor,
  endSiblings,
  GRACE_MS,
  insertRecord,
  takeRecord,
  useCode,
  useRefreshToken,
} from './records.ts'

interface Used {
  kind: 'AuthorizationCode' | 'RefreshToken'
  hash: string
  grant_id: string
}

/** How a unit of work ended: `spent` if something in it had been used by then. */
export type End = 'done' | 'spent'

/**
 * All that one request to the authorization server changes. The library asks for it step by step and
 * trusts what it has read before; here it is gathered, and then done in one transaction or not at all:
 * a code that is used together with another request for it never gives two pairs of tokens, and a
 * server that dies between two steps leaves nothing half done.
 */
export class Unit {
  readonly saved: OAuthRecordRow[] = []
  readonly taken: string[] = []
  readonly revoked = new Set<string>()
  /** The grants of what the request presents, by its hash. */
  readonly found = new Map<string, string>()
  /** The one code or refresh token that the request uses up. */
  used: Used | undefined
  /** The session of the browser; of authorization requests. */
  readonly session_id: string | null
  /** Whether something that was believed has ended. */
  ended = false
  #workspace_id = NOBODY.workspace_id

  constructor(session_id: string | null) {
    this.session_id = session_id
  }

  /** A grant is concerned: what is done is done in its workspace. */
  enter({ workspace_id }: { workspace_id: string | null }): void {
    if (workspace_id !== null) this.#workspace_id = workspace_id
  }

  /** A request that is refused uses nothing up and leaves nothing; what it has revoked stays revoked. */
  refuse(): void {
    this.saved.length = 0
    this.taken.length = 0
    this.used = undefined
  }

  async commit(storage: Storage): Promise<End> {
    const { saved, taken, revoked, used } = this
    if (saved.length + taken.length + revoked.size === 0 && !used) return 'done'
    // Whoever else writes to grants does so in their workspace, too, and one after the other: of several
    // that share a commit each would else hold what another waits for.
    const within = { ...NOBODY, workspace_id: this.#workspace_id }
    // It may be run again, and must then know nothing of the time before: what it finds it only tells.
    const { end, ended } = await storage.write(within, async (tx) => {
      if (revoked.size > 0) return { end: 'done', ended: await revoke(tx, revoked) } as const
      if (!(await hold(tx, saved))) return SPENT
      if (used && !(await use(tx, used))) {
        return { end: 'spent', ended: await revoke(tx, [used.grant_id]) } as const
      }
      for (const hash of taken) {
        if ((await tx.run(takeRecord, { kind: 'Interaction', hash })) === 0) return SPENT
      }
      await tx.each(insertRecord, saved)
      return { end: 'done', ended: false } as const
    })
    this.ended = ended
    return end
  }
}

const SPENT = { end: 'spent', ended: false } as const

/** Ends grants; whether one of them was still there. */
async function revoke(tx: WriteTx, ids: Iterable<string>): Promise<boolean> {
  let ended = false
  for (const id of ids) {
    if ((await tx.run(endGrant, { id })) === 0) continue
    tx.audit('grant.ended', id, {})
    ended = true
  }
  if (ended) await advanceGeneration(tx)
  return ended
}

/** The unit of the request that is under way. */
export const units = new AsyncLocalStorage<Unit>()

/**
 * Holds the grant of what is saved, and lets it last as long as its newest refresh token; false if it
 * has ended. Always the first step.
 */
async function hold(tx: WriteTx, saved: readonly OAuthRecordRow[]): Promise<boolean> {
  const id = saved.find((record) => record.grant_id !== null)?.grant_id
  if (!id) return true
  const latest = saved.findLast((record) => record.kind === 'RefreshToken')
  return (await tx.run(holdGrant, { id, expires_at: latest?.expires_at ?? '' })) > 0
}

/** Whether the code or token could still be used; the first use of a refresh token ends its relatives. */
async function use(tx: WriteTx, { kind, hash }: Used): Promise<boolean> {
  const { now } = tx
  if (kind === 'AuthorizationCode') return (await tx.run(useCode, { hash, now })) > 0
  const used_after = timestampOf(tx.instant - GRACE_MS)
  if ((await tx.run(useRefreshToken, { hash, now, used_after })) === 0) return false
  await tx.run(endPredecessor, { hash })
  await tx.run(endSiblings, { hash })
  return true
}
