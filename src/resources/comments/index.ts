import { route } from '#core/route.ts'
import { loadTask } from '#resources/tasks/load.ts'
import {
  createComment,
  deleteComment,
  getComment,
  listComments,
  updateComment,
} from './contract.ts'
import { loadComment, loadCommentToDelete, loadOwnComment } from './load.ts'
import { create, get, list, remove, update } from './operations.ts'

export const comments = [
  route(listComments, (tx, { params }) => loadTask(tx, params.id), list),
  route(createComment, (tx, { params }) => loadTask(tx, params.id), create),
  route(getComment, (tx, { params }) => loadComment(tx, params.id), get),
  route(updateComment, (tx, { params }) => loadOwnComment(tx, params.id), update),
  route(deleteComment, (tx, { params }) => loadCommentToDelete(tx, params.id), remove),
]
