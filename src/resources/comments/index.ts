import { allowAnyRole, readRoute, writeRoute } from '#core/route.ts'
import { loadTask } from '#resources/tasks/load.ts'
import {
  createComment,
  deleteComment,
  getComment,
  listComments,
  listTaskComments,
  updateComment,
} from './contract.ts'
import { listDeletedComments, restoreComment } from './internal.ts'
import { loadComment, loadCommentToDelete, loadCommentToRestore, loadOwnComment } from './load.ts'
import {
  create,
  get,
  listCommentsOfTask,
  listDeleted,
  listVisibleComments,
  remove,
  restore,
  update,
} from './operations.ts'

export const comments = [
  readRoute(listComments, allowAnyRole, listVisibleComments),
  readRoute(listTaskComments, (tx, { params }) => loadTask(tx, params.id), listCommentsOfTask),
  writeRoute(createComment, (tx, { params }) => loadTask(tx, params.id), create),
  readRoute(getComment, (tx, { params }) => loadComment(tx, params.id), get),
  writeRoute(updateComment, (tx, { params }) => loadOwnComment(tx, params.id), update),
  writeRoute(deleteComment, (tx, { params }) => loadCommentToDelete(tx, params.id), remove),
  readRoute(listDeletedComments, allowAnyRole, listDeleted),
  writeRoute(restoreComment, (tx, { params }) => loadCommentToRestore(tx, params.id), restore),
]
