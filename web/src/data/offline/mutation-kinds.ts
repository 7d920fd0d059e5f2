import type { MutationKind } from '../mutations/mutation-entry.ts'
import { requestKind } from '../mutations/request-kind.ts'
import type { MutationOfKind, StoredMutation } from '../mutations/stored-mutation.ts'
import { commentKind } from '../resources/comment-kinds.ts'
import { deletionKind } from '../resources/deletion-kind.ts'
import { newTagKind } from '../resources/new-tag-kind.ts'
import {
  commentEditKind,
  savedViewEditKind,
  tagEditKind,
  timeEntryEditKind,
} from '../resources/record-edit-kinds.ts'
import { timeEntryKind } from '../resources/time-entry-kinds.ts'
import { timerStartKind, timerStopKind } from '../resources/timer-kinds.ts'
import { uploadKind } from '../resources/upload-kind.ts'
import { bulkCreationKind } from '../tasks/bulk-creation-kind.ts'
import { recognizeCreatedTasks } from '../tasks/recognize-created.ts'
import { taskChangeKind } from '../tasks/task-change-kind.ts'
import { taskCreationKind, taskRestorationKind } from '../tasks/task-creation-kind.ts'

export { rebaseOnAbandoned } from '../tasks/settle-changes.ts'

recognizeCreatedTasks()

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
  upload: uploadKind,
}

/** What a stored mutation does; rejects like `import`. */
export async function getMutationKind({
  kind,
}: StoredMutation): Promise<MutationKind<StoredMutation>> {
  if (kind !== 'bulk') return KINDS[kind]
  return (await import('../tasks/bulk-change-kind.ts')).bulkChangeKind
}
