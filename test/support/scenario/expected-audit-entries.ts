import assert from 'node:assert/strict'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { auditChainHead, auditEntriesAfter } from '#db/audit/audit-log.ts'
import { unscopedQuery } from '#db/core/statement.ts'
import type { AuditEntryRow } from '#db/schema/tables.ts'
import { INSTALLATION_CHAIN } from '#wire/audit-actions.ts'
import { assertPartialMatch } from './partial-match.ts'
import type { ScenarioStep } from './scenario.ts'

/** The fields expected of an audit entry. `details`, if given, must match completely. */
export type ExpectedAuditEntry = Partial<Omit<AuditEntryRow, 'details'>> & { details?: object }

/** The last sequence number of each audit chain, from which later entries are read. */
export interface ChainHeads {
  [chain: string]: number
}

const MAX_ENTRIES = 1_000

/** Reads the current heads of the chains of a workspace and of the installation. */
export async function readChainHeads(storage: Storage, workspace: string): Promise<ChainHeads> {
  const ends: ChainHeads = {}
  for (const chain of [workspace, INSTALLATION_CHAIN]) {
    const head = await storage.read({ ...ANONYMOUS_ACTOR, workspace_id: chain }, (tx) =>
      tx.one(auditChainHead, {}),
    )
    ends[chain] = head?.sequence ?? 0
  }
  return ends
}

/**
 * Reads the entries added since `since`. Other tests append to the installation's chain as well, so
 * of that one only entries about the ids in `mine` are returned.
 */
export async function readAuditEntriesSince(
  storage: Storage,
  since: ChainHeads,
  mine: ReadonlySet<string>,
): Promise<AuditEntryRow[]> {
  const found: AuditEntryRow[] = []
  for (const [chain, after] of Object.entries(since)) {
    const entries = await storage.read({ ...ANONYMOUS_ACTOR, workspace_id: chain }, (tx) =>
      tx.all(auditEntriesAfter, { after, limit: MAX_ENTRIES }),
    )
    const isMine = (entry: AuditEntryRow) =>
      mine.has(entry.subject_id ?? '') || mine.has(entry.actor_id ?? '')
    found.push(...(chain === INSTALLATION_CHAIN ? entries.filter(isMine) : entries))
  }
  return found
}

/** Asserts that exactly these entries were added since `since`, in this order within each chain. */
export async function assertAuditEntries(
  storage: Storage,
  since: ChainHeads,
  mine: ReadonlySet<string>,
  { wanted, where }: { wanted: readonly (string | ExpectedAuditEntry)[]; where: string },
): Promise<void> {
  // A failed sign-in is logged after its reply, but always before a write that starts later.
  await storage.write(ANONYMOUS_ACTOR, async () => {})
  const found = await readAuditEntriesSince(storage, since, mine)
  assert.deepEqual(
    found.map(({ action }) => action),
    wanted.map((one) => (typeof one === 'string' ? one : one.action)),
    `audit log of ${where}`,
  )
  for (const [at, one] of wanted.entries()) {
    const { details, ...entry } = found[at] ?? {}
    if (typeof one === 'string') continue
    const { details: wantedDetails, ...part } = one
    assertPartialMatch(entry, part, `entry ${at} of ${where}`)
    if (wantedDetails) assert.deepEqual(JSON.parse(details ?? ''), wantedDetails, where)
  }
}

/** Used in tests wherever people enter text of their own: none of it may reach the audit log. */
export const AUDIT_CANARY = 'canary'

/** A step whose request is sent with the owner's session. */
export const sessionStep = (
  send: string,
  body: unknown,
  step: Partial<ScenarioStep>,
): ScenarioStep => ({
  send,
  as: 'session',
  status: 200,
  ...(body !== undefined && { body }),
  ...step,
})

const everyEntry = unscopedQuery((db) => db.selectFrom('audit_entries').selectAll())

/** Asserts that no audit entry of any workspace contains text that people have entered. */
export async function assertNoUserTextAudited(storage: Storage): Promise<void> {
  const all = await storage.read(ANONYMOUS_ACTOR, (tx) => tx.all(everyEntry, {}))
  assert.ok(all.length > 20, `${all.length} entries`)
  const text = JSON.stringify(all)
  for (const trace of [AUDIT_CANARY, '@', '://', 'dkt_']) assert.ok(!text.includes(trace), trace)
}
