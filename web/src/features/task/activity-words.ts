import { m } from '../../messages/activity.ts'
import { listed } from '../../messages/plural.ts'
import { type Names, valueWords } from './field-words.ts'

/** What was done, after the person's name; from and to where it was a value. */
export interface Deed {
  verb: string
  from?: string
  to?: string
}

type Changes = Readonly<Record<string, { from: unknown; to: unknown }>>

/** Fields that follow from others and are told with them. */
const SILENT = new Set([
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
const SETS: Record<string, [added: (names: string) => string, removed: (names: string) => string]> =
  {
    assignee_ids: [m.assigned, m.unassigned],
    tag_ids: [m.tagged, m.untagged],
    blocked_by_ids: [m.blockers, m.unblocked],
  }
/** Of these only that they changed is told: they are too long for a line. */
const LONG = new Set(['description', 'metadata', 'custom_fields'])

/** A change of a task in words: a deed for each field that says something. */
export function deedsOf(changes: Changes, names: Names): Deed[] {
  const fields = Object.keys(changes)
  return fields.flatMap((field) => {
    if (SILENT.has(field) && fields.some((other) => !SILENT.has(other))) return []
    // A time has its day: one of the two is enough.
    if (field === 'due_date' && fields.includes('due_at') && changes.due_at?.to !== null) return []
    if (field === 'due_at' && fields.includes('due_date') && changes.due_at?.to === null) return []
    return deedOf(field, changes[field] ?? { from: null, to: null }, names)
  })
}

function deedOf(field: string, { from, to }: Changes[string], names: Names): Deed[] {
  const [added, removed] = SETS[field] ?? []
  if (added && removed && Array.isArray(from) && Array.isArray(to)) {
    const plus = to.filter((one) => !from.includes(one))
    const minus = from.filter((one) => !to.includes(one))
    const words = (ids: unknown[]) => listed(ids.map((id) => valueWords(field, id, names)))
    return [
      ...(plus.length > 0 ? [{ verb: added(words(plus)) }] : []),
      ...(minus.length > 0 ? [{ verb: removed(words(minus)) }] : []),
    ]
  }
  const what = m.fields[field] ?? field.replaceAll('_', ' ')
  if (LONG.has(field)) return [{ verb: m.changed(what) }]
  const values = { from: valueWords(field, from, names), to: valueWords(field, to, names) }
  if (field === 'status' || field === 'project_id') return [{ verb: m.moved, ...values }]
  if (to === null) return [{ verb: m.removed(what), to: values.from }]
  if (from === null) return [{ verb: m.set(what), to: values.to }]
  return [{ verb: field === 'title' ? m.changed(what) : m.set(what), ...values }]
}
