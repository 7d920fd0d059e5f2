import assert from 'node:assert/strict'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { type AuditLogEntry, auditEntriesAfter, lastAuditSequence } from '#db/audit/audit-log.ts'
import { unscopedQuery } from '#db/core/statement.ts'
import { INSTALLATION_AUDIT_LOG } from '#wire/audit-actions.ts'
import { assertPartialMatch } from './partial-match.ts'
import type { ScenarioStep } from './scenario.ts'

/** The fields expected of an audit entry. `details`, if given, must match completely. */
export type ExpectedAuditEntry = Partial<Omit<AuditLogEntry, 'details'>> & { details?: object }

/** The last sequence of each audit log, from which later entries are read. */
export interface AuditSequences {
  [log: string]: number
}

const MAX_ENTRIES = 1_000

/** Reads the last sequence of the logs of a workspace and of the installation. */
export async function readLastAuditSequences(
  storage: Storage,
  workspace: string,
): Promise<AuditSequences> {
  const ends: AuditSequences = {}
  for (const workspace_id of [workspace, INSTALLATION_AUDIT_LOG]) {
    const last = await storage.read({ ...ANONYMOUS_ACTOR, workspace_id }, (tx) =>
      tx.one(lastAuditSequence, {}),
    )
    ends[workspace_id] = last?.sequence ?? 0
  }
  return ends
}

/**
 * Reads the entries added since `since`. Other tests append to the installation's log as well, so
 * of that one only entries about the ids in `mine` are returned.
 */
export async function readAuditEntriesSince(
  storage: Storage,
  since: AuditSequences,
  mine: ReadonlySet<string>,
): Promise<AuditLogEntry[]> {
  const found: AuditLogEntry[] = []
  for (const [workspace_id, after] of Object.entries(since)) {
    const entries = await storage.read({ ...ANONYMOUS_ACTOR, workspace_id }, (tx) =>
      tx.all(auditEntriesAfter, { after, limit: MAX_ENTRIES }),
    )
    const isMine = (entry: AuditLogEntry) =>
      mine.has(entry.subject_id ?? '') || mine.has(entry.actor_id ?? '')
    const isInstallation = workspace_id === INSTALLATION_AUDIT_LOG
    found.push(...(isInstallation ? entries.filter(isMine) : entries))
  }
  return found
}

/** Reads all entries of a log, and asserts that their sequences follow each other. */
export async function readAuditLog(storage: Storage, log: string): Promise<AuditLogEntry[]> {
  const entries: AuditLogEntry[] = []
  for (;;) {
    const after = entries.at(-1)?.sequence ?? 0
    const page = await storage.read({ ...ANONYMOUS_ACTOR, workspace_id: log }, (tx) =>
      tx.all(auditEntriesAfter, { after, limit: MAX_ENTRIES }),
    )
    entries.push(...page)
    if (page.length < MAX_ENTRIES) break
  }
  const [first] = entries
  assert.deepEqual(
    entries.map(({ sequence }) => sequence),
    entries.map((_, at) => (first?.sequence ?? 1) + at),
    log,
  )
  return entries
}

/** Asserts that exactly these entries were added since `since`, in this order within each log. */
export async function assertAuditEntries(
  storage: Storage,
  since: AuditSequences,
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
