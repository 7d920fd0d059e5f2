import { requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { invalidate } from '../cache/query-client.ts'
import { recordOwnOperation } from '../live/own-operations.ts'
import type { MutationKind } from '../mutations/mutation-entry.ts'
import { showNotDone, takePageCallbacks } from '../mutations/record-mutations.ts'
import type { MutationOfKind, StoredMutation } from '../mutations/stored-mutation.ts'
import { undoKind } from '../mutations/undo-kind.ts'
import { deletionKind } from '../resources/deletion-kind.ts'
import {
  commentKind,
  newTagKind,
  timeEntryKind,
  uploadKind,
} from '../resources/record-creation-kinds.ts'
import {
  commentEditKind,
  savedViewEditKind,
  tagEditKind,
  timeEntryEditKind,
} from '../resources/record-edit-kinds.ts'
import { timerStartKind, timerStopKind } from '../resources/timer-kinds.ts'
import { scheduleBootReload } from '../session/boot.ts'
import { bulkCreationKind } from '../tasks/bulk-creation-kind.ts'
import { taskChangeKind } from '../tasks/task-change-kind.ts'
import {
  recognizeCreatedTasks,
  taskCreationKind,
  taskRestorationKind,
} from '../tasks/task-creation-kind.ts'

export { rebaseOnAbandoned } from '../tasks/settle-changes.ts'

recognizeCreatedTasks()

/** One request, which needs nothing but its idempotency key. */
const requestKind: MutationKind<MutationOfKind<'request'>> = {
  async send({ address, sent, queries }, { key }) {
    const reply = await requestEndpointForResult(address, sent, { idempotencyKey: key })
    recordOwnOperation(reply.operation_id)
    const { onReply } = takePageCallbacks(key)
    if (onReply) await onReply(reply)
    else if (queries.length === 0) scheduleBootReload()
    // What is derived from the mutation is shown until the queries show it themselves.
    else await Promise.all(queries.map((name) => invalidate({ queryKey: [name] })))
    return []
  },
  revert({ label }, error, key) {
    const { onRejected } = takePageCallbacks(key)
    if (onRejected) onRejected(error)
    else showNotDone(label, error)
  },
}

const KINDS: {
  [K in Exclude<StoredMutation['kind'], 'bulk'>]: MutationKind<MutationOfKind<K>>
} = {
  change: taskChangeKind,
  create: taskCreationKind,
  'create-many': bulkCreationKind,
  restore: taskRestorationKind,
  comment: commentKind,
  'comment-edit': commentEditKind,
  deletion: deletionKind,
  'new-tag': newTagKind,
  request: requestKind,
  'time-entry': timeEntryKind,
  'time-entry-edit': timeEntryEditKind,
  'tag-edit': tagEditKind,
  'view-edit': savedViewEditKind,
  'timer-start': timerStartKind,
  'timer-stop': timerStopKind,
  undo: undoKind,
  upload: uploadKind,
}

/** What a stored mutation does; rejects like `import`. */
export async function getMutationKind({
  kind,
}: StoredMutation): Promise<MutationKind<StoredMutation>> {
  if (kind !== 'bulk') return KINDS[kind]
  return (await import('../tasks/bulk-change-kind.ts')).bulkChangeKind
}
