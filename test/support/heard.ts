import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import type { Told } from '#core/ring.ts'
import type { Storage } from '#core/tx.ts'

/** The notices of a workspace from now on, as one who may know all of them hears them. */
export function hear(storage: Storage, workspace_id: string) {
  const heard: Told[] = []
  const told = (notices: readonly Told[]) => heard.push(...notices)
  const { close } = storage.notices.listen(workspace_id, undefined, { told, reset() {} })
  return {
    heard,
    close,
    /** Whatever an operation has changed, whoever looks on is told of it. */
    async assertNoticed(operation_id: string | undefined, where: string): Promise<void> {
      if (operation_id === undefined) return
      await setImmediate()
      const ids = heard.map(({ notice }) => notice.operation_id)
      assert.ok(ids.includes(operation_id), `No notice of ${where}`)
    },
  }
}
