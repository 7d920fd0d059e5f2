import type { Comment } from '#resources/comments/contract.ts'
import { listTaskComments } from '#resources/comments/contract.ts'
import { getTask, listTasks } from '#resources/tasks/contract.ts'
import type { Task } from '#resources/tasks/fields.ts'
import { readIfInScope } from './call-endpoint.ts'
import type { ToolContext } from './tool.ts'
import { withoutDefaults } from './tool-reply.ts'

const PAGE = { limit: 200 } as const

/** One task as a line of a list, with names in place of ids. */
export async function formatTaskRow({ names }: ToolContext, task: Task): Promise<string> {
  return JSON.stringify(await describeTask(names, task))
}

async function describeTask(names: ToolContext['names'], task: Task): Promise<object> {
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

/** A task with its description, subtasks and comments, as far as the credential may read them. */
export async function readTaskText(context: ToolContext, id: string) {
  const { call, names } = context
  const task = await call(getTask, { params: { id } })
  const [fields, subtasks, comments] = await Promise.all([
    describeTask(names, task),
    task.subtask_count > 0
      ? call(listTasks, { query: { parent_id: task.id, ...PAGE } })
      : { data: [] },
    task.comment_count > 0
      ? readIfInScope(call(listTaskComments, { params: { id: task.id }, query: PAGE }), {
          data: [],
        })
      : { data: [] },
  ])
  const { completed_at, estimate_seconds, time_spent_seconds } = task
  const { custom_fields, version, created_at, updated_at, url } = task
  const more = { completed_at, estimate_seconds, time_spent_seconds }
  const all = { ...fields, ...more, custom_fields, version, created_at, updated_at, url }
  const rows = await Promise.all(subtasks.data.map((one) => formatTaskRow(context, one)))
  const parts = [
    JSON.stringify(withoutDefaults(all)),
    ...(task.description ? [`Description:\n${task.description}`] : []),
    ...(rows.length > 0 ? [`Subtasks:\n${rows.join('\n')}`] : []),
    ...(comments.data.length > 0
      ? [`Comments:\n${comments.data.map(formatComment).join('\n\n')}`]
      : []),
  ]
  return { task, text: parts.join('\n\n') }
}

const formatComment = ({ id, author, created_at, body }: Comment): string =>
  `${author.name}, ${created_at} (${id}):\n${body}`
