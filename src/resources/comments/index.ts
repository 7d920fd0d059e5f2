import { readRoute, writeRoute } from '#core/route.ts'
import { loadTask } from '#resources/tasks/load.ts'
import {
  createComment,
  deleteComment,
  getComment,
  listTaskComments,
  updateComment,
} from './contract.ts'
import { loadComment, loadCommentToDelete, loadOwnComment } from './load.ts'
import { create, get, list, remove, update } from './operations.ts'

export const comments = [
  readRoute(listTaskComments, (tx, { params }) => loadTask(tx, params.id), list),
  writeRoute(createComment, (tx, { params }) => loadTask(tx, params.id), create),
  readRoute(getComment, (tx, { params }) => loadComment(tx, params.id), get),
  writeRoute(updateComment, (tx, { params }) => loadOwnComment(tx, params.id), update),
  writeRoute(deleteComment, (tx, { params }) => loadCommentToDelete(tx, params.id), remove),
]
