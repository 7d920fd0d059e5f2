import assert from 'node:assert/strict'
import { type Actor, ANONYMOUS_ACTOR, createUserActor } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { membershipByUser } from '#resources/members/membership-store.ts'
import type { Role } from '#wire/rights.ts'
import { SCOPES } from '#wire/scopes.ts'
import { openChanges } from '../../../src/resources/changes/operations.ts'
import type { TestWorkspace } from '../world/test-workspace.ts'
import { RecordCopy } from './record-copy.ts'

const READERS: readonly Role[] = ['owner', 'member', 'guest']

/**
 * Copies a workspace as several people. The function that is returned brings the copies up to date and
 * compares them with new ones: a write that alters a visible record without a change makes it throw.
 */
export async function watchCopies(storage: Storage, team: TestWorkspace) {
  const kept = new Map<string, KeptCopy>()
  for (const role of READERS) {
    const copy = createCopy()
    await pull(storage, team, team.people[role], copy)
    kept.set(team.people[role], copy)
  }
  return async function assertCopiesAreExact(): Promise<void> {
    for (const [person, copy] of kept) {
      const anew = createCopy()
      if (!(await pull(storage, team, person, anew))) continue
      await pull(storage, team, person, copy)
      const [actual, expected] = [copy.records.toObject(), anew.records.toObject()]
      assert.deepEqual(actual, expected, 'the copy that was kept by changes')
    }
  }
}

interface KeptCopy {
  records: RecordCopy
  position: unknown
}

const createCopy = (): KeptCopy => ({ records: new RecordCopy(), position: undefined })

/** Reads changes to their end; returns whether the person is a member. */
async function pull(
  storage: Storage,
  { workspace }: TestWorkspace,
  person: string,
  copy: KeptCopy,
): Promise<boolean> {
  const system: Actor = { ...ANONYMOUS_ACTOR, workspace_id: workspace }
  const found = await storage.read(system, (tx) => tx.one(membershipByUser, { user_id: person }))
  if (!found || found.removed_at !== null) return false
  const { role } = found
  const actor = { ...createUserActor(person, workspace), role, scopes: new Set(SCOPES) }
  const feed = openChanges(actor, {})
  for (let hasMore = true; hasMore; ) {
    const page = await storage.read(actor, (tx) => feed.read(tx, copy.position, 500))
    for (const { json } of page.entries) copy.records.apply(JSON.parse(json))
    copy.position = page.position
    hasMore = page.has_more
  }
  return true
}
