import { formatList } from '../../../messages/plural.ts'
import { activityMessages } from '../../../messages/tasks/activity.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { VALUE_PROPERTIES } from '../../property-definitions.ts'
import { formatFieldValue, type NameLookup } from '../formatting/format-field-value.ts'

/** What was done, as it follows the person's name; `from` and `to` for changed values. */
export interface ActivityPhrase {
  verb: string
  from?: string
  to?: string
}

type ActivityChanges = Readonly<Record<string, { from: unknown; to: unknown }>>

/** Fields that the server derives from others, so that only the others are described. */
export const DERIVED_FIELDS = new Set([
  'completed_at',
  'completed_by_id',
  'canceled_at',
  'status_category',
  'number',
  'short_id',
  'url',
  'version',
  'updated_at',
  'recurred_from_id',
  'position',
])
const SET_FIELDS: Record<
  string,
  [added: (names: string) => string, removed: (names: string) => string]
> = {
  assignee_ids: [activityMessages.assigned, activityMessages.unassigned],
  tag_ids: [activityMessages.tagged, activityMessages.untagged],
  blocked_by_ids: [activityMessages.blockers, activityMessages.unblocked],
}
/** Fields whose values are too long for a line, so that only the change itself is described. */
const LONG_FIELDS = new Set(['description', 'metadata', 'custom_fields'])

/** Describes a change of a task with one phrase for each relevant field. */
export function describeChanges(changes: ActivityChanges, names: NameLookup): ActivityPhrase[] {
  const fields = Object.keys(changes)
  return fields.flatMap((field) => {
    if (DERIVED_FIELDS.has(field) && fields.some((other) => !DERIVED_FIELDS.has(other))) return []
    // A due time includes its day, so one of the two fields is enough.
    if (field === 'due_date' && fields.includes('due_at') && changes.due_at?.to !== null) return []
    if (field === 'due_at' && fields.includes('due_date') && changes.due_at?.to === null) return []
    return describeField(field, changes[field] ?? { from: null, to: null }, names)
  })
}

function describeField(
  field: string,
  { from, to }: ActivityChanges[string],
  names: NameLookup,
): ActivityPhrase[] {
  const [added, removed] = SET_FIELDS[field] ?? []
  if (added && removed && Array.isArray(from) && Array.isArray(to)) {
    const addedIds = to.filter((one) => !from.includes(one))
    const removedIds = from.filter((one) => !to.includes(one))
    const formatNames = (ids: unknown[]) =>
      formatList(ids.map((id) => formatFieldValue(field, id, names)))
    return [
      ...(addedIds.length > 0 ? [{ verb: added(formatNames(addedIds)) }] : []),
      ...(removedIds.length > 0 ? [{ verb: removed(formatNames(removedIds)) }] : []),
    ]
  }
  const fieldName = getFieldName(field)
  if (LONG_FIELDS.has(field)) return [{ verb: activityMessages.changed(fieldName) }]
  const values = {
    from: formatFieldValue(field, from, names),
    to: formatFieldValue(field, to, names),
  }
  // In a move from a project that the reader does not see, the former values are null.
  const { nothing } = activityMessages
  if (values.from === nothing && values.to === nothing) return []
  if (from !== null && (field === 'status' || field === 'project_id'))
    return [{ verb: activityMessages.moved, ...values }]
  if (to === null) return [{ verb: activityMessages.removed(fieldName), to: values.from }]
  if (from === null) return [{ verb: activityMessages.set(fieldName), to: values.to }]
  return [
    {
      verb:
        field === 'title' ? activityMessages.changed(fieldName) : activityMessages.set(fieldName),
      ...values,
    },
  ]
}

function getFieldName(field: string): string {
  const property = VALUE_PROPERTIES.find((one) => one.field === field)
  if (property) return projectViewMessages.values[property.id].name
  return activityMessages.fields[field] ?? field.replaceAll('_', ' ')
}
