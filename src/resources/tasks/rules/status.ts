import type { WriteTx } from '#core/transaction.ts'
import type { StatusCategory } from '#resources/projects/contract.ts'
import { type FieldError, fieldError } from '#wire/field-error.ts'
import type { StatusFields, TaskProjectContext } from '../writing/task-fields.ts'

type ProjectStatuses = TaskProjectContext['statuses']

const firstOfCategory = (statuses: ProjectStatuses, category: StatusCategory) =>
  statuses.find((status) => status.category === category)

function assertFound<T>(status: T | undefined): T {
  if (status === undefined) throw new Error('A project without a status that it must have')
  return status
}

/** The status of a new task: the first unstarted, else backlog, else started one (docs/spec/api.md#project). */
export const defaultStatus = (statuses: ProjectStatuses) =>
  assertFound(
    firstOfCategory(statuses, 'unstarted') ??
      firstOfCategory(statuses, 'backlog') ??
      firstOfCategory(statuses, 'started'),
  )

/** The status of a completed task: the first of that category. */
export const completingStatus = (statuses: ProjectStatuses) =>
  assertFound(firstOfCategory(statuses, 'completed'))

/**
 * The status of a task in another project: with its key, else of its category, else the default.
 */
export const mapStatus = (
  statuses: ProjectStatuses,
  statusFields: Pick<StatusFields, 'status' | 'status_category'>,
) =>
  statuses.find(({ key }) => key === statusFields.status) ??
  firstOfCategory(statuses, statusFields.status_category) ??
  defaultStatus(statuses)

/** Adds an error for a status key that the project does not have. */
export function checkStatus(key: string, statuses: ProjectStatuses, errors: FieldError[]): void {
  if (statuses.some((status) => status.key === key)) return
  const keys = statuses.map((status) => status.key).join(', ')
  errors.push(fieldError('status', 'invalid_value', `must be a status of the project: ${keys}`))
}

/** The fields of a status. Times are set on entering a category, and kept within it. */
export function enterStatus(
  tx: WriteTx,
  statuses: ProjectStatuses,
  key: string,
  before?: Pick<
    StatusFields,
    'status_category' | 'completed_at' | 'completed_by_id' | 'canceled_at'
  >,
): StatusFields {
  const { category } = assertFound(statuses.find((status) => status.key === key))
  const isSameCategory = before?.status_category === category
  const completed = category === 'completed'
  const canceled = category === 'canceled'
  return {
    status: key,
    status_category: category,
    completed_at: completed ? (isSameCategory ? before.completed_at : tx.now) : null,
    completed_by_id: completed
      ? isSameCategory
        ? before.completed_by_id
        : tx.actor.user_id
      : null,
    canceled_at: canceled ? (isSameCategory ? before.canceled_at : tx.now) : null,
  }
}
