import type { WriteTx } from '#core/tx.ts'
import type { StatusCategory } from '#resources/projects/contract.ts'
import { type Fault, fault } from '#wire/fault.ts'
import type { Setting, Stage } from '../core.ts'

type Statuses = Setting['statuses']

const first = (statuses: Statuses, category: StatusCategory) =>
  statuses.find((status) => status.category === category)

function certain<T>(status: T | undefined): T {
  if (status === undefined) throw new Error('A project without a status that it must have')
  return status
}

/** The status of a new task: the first that is unstarted, else backlog, else started (contract 6.1). */
export const defaultStatus = (statuses: Statuses) =>
  certain(first(statuses, 'unstarted') ?? first(statuses, 'backlog') ?? first(statuses, 'started'))

/** The status of a completed task: the first of the category. */
export const completingStatus = (statuses: Statuses) => certain(first(statuses, 'completed'))

/** The status of a task that comes into another project: of its key, of its category, or the default. */
export const mappedStatus = (
  statuses: Statuses,
  stage: Pick<Stage, 'status' | 'status_category'>,
) =>
  statuses.find(({ key }) => key === stage.status) ??
  first(statuses, stage.status_category) ??
  defaultStatus(statuses)

/** Notes a status key that the project does not have. */
export function checkStatus(key: string, statuses: Statuses, faults: Fault[]): void {
  if (statuses.some((status) => status.key === key)) return
  const keys = statuses.map((status) => status.key).join(', ')
  faults.push(fault('status', 'invalid_value', `must be a status of the project: ${keys}`))
}

/** What being in a status entails: the times are set on entering a category and kept within it. */
export function stageOf(
  tx: WriteTx,
  statuses: Statuses,
  key: string,
  before?: Pick<Stage, 'status_category' | 'completed_at' | 'completed_by_id' | 'canceled_at'>,
): Stage {
  const { category } = certain(statuses.find((status) => status.key === key))
  const stays = before?.status_category === category
  const completed = category === 'completed'
  const canceled = category === 'canceled'
  return {
    status: key,
    status_category: category,
    completed_at: completed ? (stays ? before.completed_at : tx.now) : null,
    completed_by_id: completed ? (stays ? before.completed_by_id : tx.actor.user_id) : null,
    canceled_at: canceled ? (stays ? before.canceled_at : tx.now) : null,
  }
}
