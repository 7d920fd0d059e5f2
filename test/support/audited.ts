import assert from 'node:assert/strict'
import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { entriesAfter, headAtHand } from '#storage/audit-log.ts'
import { queryOfAll } from '#storage/statement.ts'
import type { AuditEntryRow } from '#storage/tables.ts'
import { INSTALLATION } from '#wire/audit.ts'
import { assertPart } from './part.ts'
import type { Step } from './scenario.ts'

/** What is expected of an entry of the audit log: the act alone, or parts of it, its details whole. */
export type AuditPart = Partial<Omit<AuditEntryRow, 'details'>> & { details?: object }

/** Ends of chains, to ask what was added since. */
export interface Since {
  [chain: string]: number
}

const MANY = 1_000

/** Where the chains of a workspace and of the installation end now. */
export async function endsOf(storage: Storage, workspace: string): Promise<Since> {
  const ends: Since = {}
  for (const chain of [workspace, INSTALLATION]) {
    const head = await storage.read({ ...NOBODY, workspace_id: chain }, (tx) =>
      tx.one(headAtHand, {}),
    )
    ends[chain] = head?.sequence ?? 0
  }
  return ends
}

/** What was added since then; to the chain of the installation others add, too: `mine` is told of these ids. */
export async function auditedSince(
  storage: Storage,
  since: Since,
  mine: ReadonlySet<string>,
): Promise<AuditEntryRow[]> {
  const found: AuditEntryRow[] = []
  for (const [chain, after] of Object.entries(since)) {
    const entries = await storage.read({ ...NOBODY, workspace_id: chain }, (tx) =>
      tx.all(entriesAfter, { after, limit: MANY }),
    )
    const isMine = (entry: AuditEntryRow) =>
      mine.has(entry.subject_id ?? '') || mine.has(entry.actor_id ?? '')
    found.push(...(chain === INSTALLATION ? entries.filter(isMine) : entries))
  }
  return found
}

/** Exactly these entries were written since then, in each chain in this order. */
export async function assertAudited(
  storage: Storage,
  since: Since,
  mine: ReadonlySet<string>,
  { wanted, where }: { wanted: readonly (string | AuditPart)[]; where: string },
): Promise<void> {
  // A failed sign-in is written down after its reply, but before whatever is asked for then.
  await storage.write(NOBODY, async () => {})
  const found = await auditedSince(storage, since, mine)
  assert.deepEqual(
    found.map(({ action }) => action),
    wanted.map((one) => (typeof one === 'string' ? one : one.action)),
    `audit log of ${where}`,
  )
  for (const [at, one] of wanted.entries()) {
    const { details, ...entry } = found[at] ?? {}
    if (typeof one === 'string') continue
    const { details: wantedDetails, ...part } = one
    assertPart(entry, part, `entry ${at} of ${where}`)
    if (wantedDetails) assert.deepEqual(JSON.parse(details ?? ''), wantedDetails, where)
  }
}

/** Stands in tests wherever people write something of their own: none of it may come into the log. */
export const CANARY = 'canary'

/** The step that is asked by a session of the owner. */
export const by = (send: string, body: unknown, step: Partial<Step>): Step => ({
  ...{ send, as: 'session', status: 200 },
  ...(body !== undefined && { body }),
  ...step,
})

const everyEntry = queryOfAll((db) => db.selectFrom('audit_entries').selectAll())

/** Nothing that people have written is in the audit log of any workspace. */
export async function assertNothingWritten(storage: Storage): Promise<void> {
  const all = await storage.read(NOBODY, (tx) => tx.all(everyEntry, {}))
  assert.ok(all.length > 20, `${all.length} entries`)
  const text = JSON.stringify(all)
  for (const trace of [CANARY, '@', '://', 'dkt_']) assert.ok(!text.includes(trace), trace)
}
