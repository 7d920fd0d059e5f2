import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import type { NumberedChange } from '#core/changes/replay-buffer.ts'
import type { Storage } from '#core/transaction.ts'

/** Records all changes of a workspace from now on, as a listener without access restrictions. */
export function recordChanges(storage: Storage, workspace_id: string) {
  const heard: NumberedChange[] = []
  const told = (notices: readonly NumberedChange[]) => heard.push(...notices)
  const { close } = storage.changeFeed.subscribe(workspace_id, undefined, {
    onChanges: told,
    onReset() {},
  })
  return {
    heard,
    close,
    /** Asserts that the operation published a change to listeners. */
    async assertNoticed(operation_id: string | undefined, where: string): Promise<void> {
      if (operation_id === undefined) return
      await setImmediate()
      const ids = heard.map(({ notice }) => notice.operation_id)
      assert.ok(ids.includes(operation_id), `No notice of ${where}`)
    },
  }
}
