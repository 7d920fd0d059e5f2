import type { Comment } from '#resources/comments/contract.ts'
import { listTaskComments } from '#resources/comments/contract.ts'
import { getTask, listTasks } from '#resources/tasks/contract.ts'
import type { Task } from '#resources/tasks/fields.ts'
import { readIfInScope } from './call-endpoint.ts'
import type { ToolContext } from './tool.ts'
import { withoutDefaults } from './tool-reply.ts'

const PAGE = { limit: 200 } as const

/** The fields of a task that a list shows. */
export async function describeTask(names: ToolContext['names'], task: Task): Promise<object> {
  const [assignees, tags] = await Promise.all([
    Promise.all(task.assignee_ids.map(names.nameOfPerson)),
    Promise.all(task.tag_ids.map((id) => names.nameOfTag(id, task.project_id))),
  ])
  const { short_id, title, status, priority, start_date, due_date, due_at, parent_id } = task
  const { subtask_count, completed_subtask_count, comment_count, recurrence, blocked_by_ids } = task
  return withoutDefaults({
    id: short_id,
    title,
    status,
    priority,
    assignees,
    tags,
    start_date,
    due_date,
    due_at,
    recurrence: recurrence?.rrule,
    parent_id,
    subtasks: subtask_count > 0 ? `${completed_subtask_count} of ${subtask_count} completed` : null,
    comments: comment_count,
    blocked_by_ids,
  })
}

/**
 * A task with its description, subtasks and comments, as far as the credential may read them: a line of JSON each, so
 * that no text can look like another one. Of comments the newest are there, which say where a discussion stands.
 */
export async function readTaskText(context: ToolContext, id: string) {
  const { call, names } = context
  const task = await call(getTask, { params: { id } })
  const [fields, subtasks, comments] = await Promise.all([
    describeTask(names, task),
    task.subtask_count > 0
      ? call(listTasks, { query: { parent_id: task.id, ...PAGE } })
      : { data: [] },
    task.comment_count > 0
      ? readIfInScope(
          call(listTaskComments, {
            params: { id: task.id },
            query: { sort: '-created_at', ...PAGE },
          }),
          { data: [] },
        )
      : { data: [] },
  ])
  const { description, completed_at, estimate_seconds, time_spent_seconds } = task
  const { custom_fields, version, created_at, updated_at, url } = task
  const more = { completed_at, estimate_seconds, time_spent_seconds }
  const all = { ...fields, ...more, custom_fields, version, created_at, updated_at, url }
  const shown = await Promise.all(subtasks.data.map((one) => describeTask(names, one)))
  const lines = [
    withoutDefaults(all),
    ...(description ? [{ description }] : []),
    ...shown.map((subtask) => ({ subtask })),
    ...leftOut('subtasks', task.subtask_count, shown.length),
    ...leftOut('earlier_comments', task.comment_count, comments.data.length),
    ...comments.data.toReversed().map(formatComment),
  ]
  return { task, text: lines.map((line) => JSON.stringify(line)).join('\n') }
}

/** Says of a list of which only a page was read how many are missing; nothing if the credential may read none. */
const leftOut = (what: string, count: number, shown: number): object[] =>
  shown > 0 && count > shown ? [{ [`${what}_left_out`]: count - shown }] : []

const formatComment = ({ id, author, created_at, body }: Comment): object => ({
  comment: id,
  author: author.name,
  created_at,
  body,
})
