import type { Project } from '#resources/projects/contract.ts'
import type { NewTask } from '../../data/task-create.ts'
import { categoryOf, type Task } from '../../data/task-view.ts'

const last = { number: 0 }

/** The status of a task of which nothing is said (contract 6.1). */
export const firstStatus = ({ statuses }: Project): string | undefined =>
  ['unstarted', 'backlog', 'started'].flatMap(
    (wanted) => statuses.find(({ category }) => category === wanted)?.key ?? [],
  )[0]

/** What stands for a new task until the server has given it a number: its own is below 0. */
export function placeholderOf(project: Project, me: string, body: NewTask): Task {
  last.number -= 1
  const now = new Date().toISOString()
  const status = body.status ?? firstStatus(project) ?? ''
  const category = categoryOf(project, status) ?? 'unstarted'
  return {
    ...{ id: `new${last.number}`, number: last.number, short_id: `new${last.number}`, url: '' },
    ...{ project_id: project.id, title: body.title, description: body.description ?? null },
    ...{ status, status_category: category, priority: body.priority ?? 'none' },
    completed_at: category === 'completed' ? now : null,
    canceled_at: category === 'canceled' ? now : null,
    ...{
      completed_by_id: null,
      assignee_ids: body.assignee_ids ?? [],
      tag_ids: body.tag_ids ?? [],
    },
    ...{ start_date: body.start_date ?? null, due_date: body.due_date ?? null, due_at: null },
    // After every rank there is: it stands at the end.
    ...{ parent_id: body.parent_id ?? null, position: '~' },
    ...{ estimate_seconds: body.estimate_seconds ?? null, time_spent_seconds: 0 },
    ...{ blocked_by_ids: [], blocking_ids: [], recurrence: null, recurred_from_id: null },
    ...{ custom_fields: {}, external_source: null, external_id: null, metadata: {} },
    ...{ comment_count: 0, attachment_count: 0, subtask_count: 0, completed_subtask_count: 0 },
    ...{ version: 0, created_by_id: me, created_at: now, updated_at: now, deleted_at: null },
  }
}
