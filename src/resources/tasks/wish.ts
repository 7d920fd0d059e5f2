import { conflict } from '#core/refusal.ts'
import type { ReadTx } from '#core/tx.ts'
import { type Fault, fault } from '#wire/fault.ts'
import type { Static } from '#wire/schema.ts'
import type { TaskChanges } from './contract.ts'
import { type Core, EMPTY, type Setting } from './core.ts'
import { MOST_ASSIGNEES, MOST_BLOCKERS, MOST_TAGS } from './fields.ts'
import { tasksAmong } from './related.ts'
import { checkBlockers, refuseTooManyBlocked } from './rules/blockers.ts'
import { datesOf } from './rules/dates.ts'
import { checkParent } from './rules/family.ts'
import { merged } from './rules/objects.ts'
import { checkAssignees } from './rules/people.ts'
import { changedSet } from './rules/sets.ts'
import { checkStatus } from './rules/status.ts'
import { checkTags } from './rules/tagging.ts'
import { taskOfExternal } from './store.ts'

/** What a request wishes of a task; a new task wishes no less than a changed one. */
export type Wished = Static<typeof TaskChanges>

/** What a wish comes to, and the refusal that a state makes of it, after all faults are told. */
export interface Settled {
  core: Core
  refuseConflicts: () => Promise<void>
}

/**
 * Works out what a task's fields will be in a project, noting every fault (contract 6.2). `base` is what
 * they are before, or what moving made of them; `id` is null for a new task.
 */
export async function settle(
  tx: ReadTx,
  id: string | null,
  { project_id, statuses }: Setting,
  base: Core,
  wished: Wished,
  faults: Fault[],
): Promise<Settled> {
  const status = wished.status ?? base.status
  if (wished.status !== undefined) checkStatus(status, statuses, faults)

  const { assignee_ids: whole, add_assignee_ids: add, remove_assignee_ids: remove } = wished
  const people = { whole, add, remove }
  const assignees = changedSet('assignee_ids', base.assignee_ids, people, MOST_ASSIGNEES, faults)
  await checkAssignees(tx, project_id, assignees, faults)

  const tagging = { whole: wished.tag_ids, add: wished.add_tag_ids, remove: wished.remove_tag_ids }
  const tags = changedSet('tag_ids', base.tag_ids, tagging, MOST_TAGS, faults)
  await checkTags(tx, project_id, tags, faults)

  const blocked = { whole: wished.blocked_by_ids ?? base.blocked_by_ids }
  const blockers = changedSet('blocked_by_ids', base.blocked_by_ids, blocked, MOST_BLOCKERS, faults)
  await checkBlockers(tx, id, blockers, faults)

  const { parent_id = base.parent_id } = wished
  if (parent_id !== null && parent_id !== base.parent_id) {
    await checkParent(tx, id, project_id, parent_id, faults)
  }
  const dates = datesOf(base, wished, tx.actor.workspace_timezone, faults)
  const recurrence = recurrenceOf(base, wished, dates.due_date, faults)
  const { external_source = base.external_source, external_id = base.external_id } = wished
  if ((external_source === null) !== (external_id === null)) {
    const missing = external_source === null ? 'external_source' : 'external_id'
    faults.push(fault(missing, 'conflicting_fields', 'must be given with the other, or neither'))
  }
  const core: Core = {
    title: wished.title ?? base.title,
    description: wished.description === undefined ? base.description : wished.description,
    status,
    priority: wished.priority ?? base.priority,
    assignee_ids: assignees.ids,
    tag_ids: tags.ids,
    ...dates,
    parent_id,
    estimate_seconds:
      wished.estimate_seconds === undefined ? base.estimate_seconds : wished.estimate_seconds,
    blocked_by_ids: blockers.ids,
    recurrence,
    custom_fields: merged('custom_fields', base.custom_fields, wished.custom_fields, faults),
    external_source,
    external_id,
    metadata: merged('metadata', base.metadata, wished.metadata, faults),
  }
  return {
    core,
    async refuseConflicts() {
      await refuseTakenExternal(tx, id, core)
      await refuseTooManyBlocked(tx, blockers)
    },
  }
}

/** What a new task is before the request is looked at. */
export const blank = (title: string, status: string): Core => ({ ...EMPTY, title, status })

function recurrenceOf(base: Core, wished: Wished, due_date: string | null, faults: Fault[]) {
  const asked = wished.recurrence
  const recurrence =
    asked === undefined || asked === null
      ? (asked ?? (asked === null ? null : base.recurrence))
      : { rrule: asked.rrule, basis: asked.basis ?? ('due_date' as const) }
  if (recurrence?.basis === 'due_date' && due_date === null) {
    const field = asked === undefined ? 'due_date' : 'recurrence'
    faults.push(fault(field, 'conflicting_fields', 'needs a due date with the basis due_date'))
  }
  return recurrence
}

/** The pair of external source and id is unique among the undeleted tasks of the workspace. */
export async function refuseTakenExternal(
  tx: ReadTx,
  id: string | null,
  { external_source, external_id }: Pick<Core, 'external_source' | 'external_id'>,
): Promise<void> {
  if (external_source === null || external_id === null) return
  const taken = await tx.one(taskOfExternal, { external_source, external_id, id: id ?? '' })
  if (!taken) return
  const seen = await tx.all(tasksAmong, { ids: [taken.id] })
  const message = 'Another task has this external_source and external_id.'
  throw conflict('external_id_exists', message, [
    {
      field: 'external_id',
      code: 'external_id_exists',
      message,
      ...(seen.length > 0 && { resource_id: taken.id }),
    },
  ])
}
