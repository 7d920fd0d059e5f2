import assert from 'node:assert/strict'
import type { Hint } from '#core/commit-listeners.ts'
import type { Storage } from '#core/transaction.ts'

/** Collects the hints and commits of a workspace from now on, also of what a single person would not see. */
export function recordChanges(storage: Storage, workspace_id: string) {
  const hints: Hint[] = []
  const asserted = new Set<string>()
  let commits = 0
  let assertedCommits = 0
  const close = storage.commitListeners.subscribe(workspace_id, {
    onCommit(added) {
      commits += 1
      hints.push(...added)
    },
    onMissed() {},
  })
  return {
    hints,
    close,
    /** Asserts that the operation was announced to listeners. */
    assertAnnounced(operation_id: string | undefined, where: string): void {
      if (operation_id === undefined || asserted.has(operation_id)) return
      asserted.add(operation_id)
      assert.ok(commits > assertedCommits, `Nobody learns of ${where}`)
      assertedCommits = commits
    },
  }
}
