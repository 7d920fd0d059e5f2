import type { Project } from '#resources/projects/contract.ts'
import type { CreateTaskBody } from '../../../data/tasks/create-task.ts'
import { placeAtEnd } from '../../../data/tasks/place-beside.ts'
import { getStatusCategory, type Task } from '../../../data/tasks/task-patch.ts'
import { VALUE_PROPERTIES, type ValueField } from '../../property-definitions.ts'
import { getDefaultStatus } from './default-status.ts'

/**
 * Unsaved tasks of earlier pages are still shown and still waiting to be sent, so their numbers must
 * not be used again. Nobody adds a thousand tasks a second.
 */
const FIRST_NUMBER = -Date.now()
const placeholders = { count: 0 }

/** A task that is shown until the server has created the real one. Its number is negative. */
export function createPlaceholderTask(
  project: Pick<Project, 'id' | 'statuses'>,
  me: string,
  body: CreateTaskBody,
): Task {
  placeholders.count += 1
  const number = FIRST_NUMBER - placeholders.count
  const now = new Date().toISOString()
  const status = body.status ?? getDefaultStatus(project) ?? ''
  const category = getStatusCategory(project, status) ?? 'unstarted'
  return {
    id: `new${number}`,
    number,
    short_id: `new-${placeholders.count}`,
    url: '',
    project_id: project.id,
    title: body.title,
    description: body.description ?? null,
    status,
    status_category: category,
    priority: body.priority ?? 'none',
    completed_at: category === 'completed' ? now : null,
    canceled_at: category === 'canceled' ? now : null,
    completed_by_id: null,
    assignee_ids: body.assignee_ids ?? [],
    tag_ids: body.tag_ids ?? [],
    start_date: body.start_date ?? null,
    due_date: body.due_date ?? null,
    due_at: body.due_at ?? null,
    parent_id: body.parent_id ?? null,
    position: placeAtEnd(project.id),
    time_spent_seconds: 0,
    blocked_by_ids: [],
    blocking_ids: [],
    recurrence: body.recurrence ? { basis: 'due_date', ...body.recurrence } : null,
    recurred_from_id: null,
    custom_fields: {},
    external_source: null,
    external_id: null,
    metadata: {},
    comment_count: 0,
    attachment_count: 0,
    subtask_count: 0,
    completed_subtask_count: 0,
    version: 0,
    created_by_id: me,
    created_at: now,
    updated_at: now,
    deleted_at: null,
    ...getValues(body),
  }
}

const getValues = (body: CreateTaskBody) =>
  Object.fromEntries(VALUE_PROPERTIES.map(({ field }) => [field, body[field] ?? null])) as Pick<
    Task,
    ValueField
  >
