/** What a simulated page uses of the web app; `engine-bundle.ts` bundles it. */

// Once the server replies again, what came from the offline cache is read again.
import '../../web/src/data/live/live-updates.ts'

export { QueryObserver } from '@tanstack/react-query'
export { messages, showToast } from '../../web/src/data/app/toasts.ts'
export { findRedoable, findUndoable, reverse, runReversal } from '../../web/src/data/app/undo.ts'
export { queryClient, refetchAll } from '../../web/src/data/cache/query-client.ts'
export { applyFeedChanges } from '../../web/src/data/live/apply-feed-changes.ts'
export { changeTasksInBulk } from '../../web/src/data/mutations/bulk-change.ts'
export { mutationLog, mutationQueue } from '../../web/src/data/mutations/mutation-queue.ts'
export { withPendingPatches } from '../../web/src/data/mutations/pending-patches.ts'
export { enqueueRecordMutation } from '../../web/src/data/mutations/record-mutations.ts'
export { resumeStoredMutations } from '../../web/src/data/offline/mutation-engine.ts'
export { uploadAttachments } from '../../web/src/data/resources/attachments.ts'
export {
  addComment,
  commentsOf,
  deleteCommentWithUndo,
  updateCommentText,
} from '../../web/src/data/resources/comments.ts'
export { copyHeldRecords, holdList } from '../../web/src/data/resources/held-records.ts'
export {
  deleteTimeEntryWithUndo,
  editTimeEntry,
  logTime,
  timeEntriesOf,
} from '../../web/src/data/resources/time-entries.ts'
export {
  getRunningTimer,
  holdTimer,
  startTimer,
  stopTimer,
} from '../../web/src/data/resources/timer.ts'
export { bootState } from '../../web/src/data/session/boot.ts'
export { setCurrentSession } from '../../web/src/data/session/current-session.ts'
export {
  changeTask,
  deleteTaskWithUndo,
} from '../../web/src/data/tasks/change-task.ts'
export { copyTasks } from '../../web/src/data/tasks/copy-tasks.ts'
export { addTasksInBulk, addTaskWithPlaceholder } from '../../web/src/data/tasks/create-task.ts'
export { holdProject } from '../../web/src/data/tasks/held-tasks.ts'
export { discardLocalChange, keepLocalChange } from '../../web/src/data/tasks/task-conflicts.ts'
export { fetchTask } from '../../web/src/data/tasks/task-queries.ts'
export { taskReplica } from '../../web/src/data/tasks/task-replica.ts'
export {
  getCachedTask,
  getCachedTasks,
  getPendingChanges,
  getTaskConflict,
  subscribeToTasks,
} from '../../web/src/data/tasks/task-store.ts'
export { createListRules } from '../../web/src/features/project-view/grouping/project-list.ts'
export { setReplyCacheOwner } from '../../web/src/lib/http/reply-cache.ts'
export { startReplyWriter } from '../../web/src/lib/http/reply-writer.ts'
export { requestEndpoint } from '../../web/src/lib/http/request-endpoint.ts'
export { hasSessionEnded } from '../../web/src/lib/http/session-ended.ts'
export { ListView } from '../../web/src/replica/list-view.ts'
