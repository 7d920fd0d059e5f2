import { conflict } from '#core/api-error.ts'
import type { ReadTx } from '#core/transaction.ts'
import type { FieldError } from '#wire/field-error.ts'
import type { Static } from '#wire/schema-builders.ts'
import type { TaskChanges } from '../bodies.ts'
import {
  DEFAULT_TASK_FIELDS,
  MAX_ASSIGNEES,
  MAX_BLOCKERS,
  MAX_TASK_TAGS,
  pickFields,
  REPLACED_FIELDS,
  type TaskFields,
} from '../fields.ts'
import { findCrossFieldErrors } from '../rules/cross-field-rules.ts'
import { applySetChange, mergeObject, resolveDates } from '../rules/field-values.ts'
import {
  assertDependencyLimits,
  checkAssignees,
  checkBlockers,
  checkParent,
  checkTags,
} from '../rules/references.ts'
import { checkStatus } from '../rules/status.ts'
import { visibleTasksByIds } from '../statements/related.ts'
import { taskByExternalId } from '../store.ts'
import type { TaskProjectContext } from './task-fields.ts'

/** The input of an update. The input of a new task fits it too. */
export type TaskInput = Static<typeof TaskChanges>

/** The resolved fields, and a check for conflicts with stored state, which comes after all 422. */
export interface ResolvedTaskInput {
  fields: TaskFields
  assertNoConflicts: () => Promise<void>
}

/**
 * Resolves the fields of a task in a project and collects all field errors (docs/spec/api.md#task). `base`
 * has the present fields, or those that a move has mapped. `id` is null for a new task.
 */
export async function resolveTaskInput(
  tx: ReadTx,
  id: string | null,
  { project_id, statuses }: TaskProjectContext,
  base: TaskFields,
  input: TaskInput,
  errors: FieldError[],
): Promise<ResolvedTaskInput> {
  const status = input.status ?? base.status
  if (input.status !== undefined) checkStatus(status, statuses, errors)

  const { assignee_ids: whole, add_assignee_ids: add, remove_assignee_ids: remove } = input
  const assigneeChange = { whole, add, remove }
  const assignees = applySetChange(
    'assignee_ids',
    base.assignee_ids,
    assigneeChange,
    MAX_ASSIGNEES,
    errors,
  )
  await checkAssignees(tx, project_id, assignees, errors)

  const tagChange = { whole: input.tag_ids, add: input.add_tag_ids, remove: input.remove_tag_ids }
  const tags = applySetChange('tag_ids', base.tag_ids, tagChange, MAX_TASK_TAGS, errors)
  await checkTags(tx, project_id, tags, errors)

  const blockerChange = { whole: input.blocked_by_ids ?? base.blocked_by_ids }
  const blockers = applySetChange(
    'blocked_by_ids',
    base.blocked_by_ids,
    blockerChange,
    MAX_BLOCKERS,
    errors,
  )
  const areBlockersChecked = await checkBlockers(tx, id, blockers, errors)

  const { parent_id = base.parent_id } = input
  if (parent_id !== null && parent_id !== base.parent_id) {
    await checkParent(tx, id, project_id, parent_id, errors)
  }
  const dates = resolveDates(base, input, tx.actor.workspace_timezone, errors)
  const { recurrence: rule = base.recurrence } = input
  const recurrence = rule && { rrule: rule.rrule, basis: rule.basis ?? ('due_date' as const) }
  const { external_source = base.external_source, external_id = base.external_id } = input
  const compared = { ...dates, recurrence, external_source, external_id }
  errors.push(...findCrossFieldErrors(compared, input))
  const fields: TaskFields = {
    ...replaceFields(base, input),
    status,
    assignee_ids: assignees.ids,
    tag_ids: tags.ids,
    ...dates,
    parent_id,
    blocked_by_ids: blockers.ids,
    recurrence,
    custom_fields: mergeObject('custom_fields', base.custom_fields, input.custom_fields, errors),
    metadata: mergeObject('metadata', base.metadata, input.metadata, errors),
  }
  return {
    fields,
    async assertNoConflicts() {
      const isSameExternalId =
        external_source === base.external_source && external_id === base.external_id
      if (!isSameExternalId) await assertExternalIdFree(tx, id, fields)
      const { blocked_by_ids } = base
      await assertDependencyLimits(tx, { id, blocked_by_ids }, blockers, areBlockersChecked)
    },
  }
}

/** The fields that take the value that is sent as it is, or stay. */
function replaceFields(base: TaskFields, input: TaskInput): Pick<TaskFields, ReplacedField> {
  const sent = REPLACED_FIELDS.filter((name) => input[name] !== undefined)
  return { ...pickFields(base, REPLACED_FIELDS), ...pickFields(input, sent) }
}
type ReplacedField = (typeof REPLACED_FIELDS)[number]

/** The fields of a new task before the input is applied. */
export const newTaskFields = (title: string, status: string): TaskFields => ({
  ...DEFAULT_TASK_FIELDS,
  title,
  status,
})

/** External source and id are unique among the undeleted tasks of the workspace. */
export async function assertExternalIdFree(
  tx: ReadTx,
  id: string | null,
  { external_source, external_id }: Pick<TaskFields, 'external_source' | 'external_id'>,
): Promise<void> {
  if (external_source === null || external_id === null) return
  const existing = await tx.one(taskByExternalId, { external_source, external_id, id: id ?? '' })
  if (!existing) return
  const visibleTasks = await tx.all(visibleTasksByIds, { ids: [existing.id] })
  const message = 'Another task already has this `external_source` and `external_id`.'
  throw conflict('external_id_exists', message, [
    {
      field: 'external_id',
      code: 'external_id_exists',
      message,
      ...(visibleTasks.length > 0 && { resource_id: existing.id }),
    },
  ])
}
