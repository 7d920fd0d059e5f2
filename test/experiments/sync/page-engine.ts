/** What a simulated page uses of the web app; `engine-bundle.ts` bundles it. */
export { QueryObserver } from '@tanstack/react-query'
export { showToast, toastHistory, toasts, undoToast } from '../../../web/src/data/app/toasts.ts'
export { queryClient, refetchAll } from '../../../web/src/data/cache/query-client.ts'
export { applyFeedChanges } from '../../../web/src/data/live/apply-feed-changes.ts'
export type { BulkRejection } from '../../../web/src/data/mutations/bulk-change.ts'
export { changeTasksInBulk } from '../../../web/src/data/mutations/bulk-change.ts'
export { hiddenRecords } from '../../../web/src/data/mutations/hidden-records.ts'
export { mutationLog, mutationQueue } from '../../../web/src/data/mutations/mutation-queue.ts'
export { withPendingPatches } from '../../../web/src/data/mutations/pending-patches.ts'
export { enqueueRecordMutation } from '../../../web/src/data/mutations/record-mutations.ts'
export { resumeStoredMutations } from '../../../web/src/data/offline/mutation-engine.ts'
export { uploadAttachments } from '../../../web/src/data/resources/attachments.ts'
export {
  addComment,
  deleteCommentWithUndo,
  pendingComments,
  updateCommentText,
} from '../../../web/src/data/resources/comments.ts'
export {
  deleteTimeEntryWithUndo,
  editTimeEntry,
  logTime,
} from '../../../web/src/data/resources/time-entries.ts'
export {
  fetchTimer,
  getRunningTimer,
  startTimer,
  stopTimer,
} from '../../../web/src/data/resources/timer.ts'
export { bootState } from '../../../web/src/data/session/boot.ts'
export { setCurrentSession } from '../../../web/src/data/session/current-session.ts'
export {
  changeTask,
  completeTaskAs,
  deleteTaskWithUndo,
} from '../../../web/src/data/tasks/change-task.ts'
export { addTaskWithPlaceholder } from '../../../web/src/data/tasks/create-task.ts'
export { discardLocalChange, keepLocalChange } from '../../../web/src/data/tasks/task-conflicts.ts'
export {
  cachedTaskIds,
  getCachedTask,
  getCachedTasks,
  getPendingChanges,
  getRealId,
  getServerTask,
  getTaskConflict,
  putTasks,
  removeCachedTask,
  subscribeToTasks,
} from '../../../web/src/data/tasks/task-store.ts'
export { requestEndpoint } from '../../../web/src/lib/http/request-endpoint.ts'
export { hasSessionEnded } from '../../../web/src/lib/http/session-ended.ts'
