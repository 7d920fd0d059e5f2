import { type Fault, fault } from '#wire/fault.ts'

/** A body as sent: its values may yet be of any type. */
type Given = Readonly<Record<string, unknown>>

/** Which fields of a new task cannot stand together (contract 6.2); null is the same as absent. */
export function togetherNew(given: Given): Fault[] {
  const faults = [...startAfterDue(given), ...loneHalf({ ...NO_PAIR, ...given })]
  const isDue = [given.due_date, given.due_at].some((due) => due !== undefined && due !== null)
  if (countsFromDue(given) && !isDue) faults.push(UNDUE)
  return faults
}

/** The same of changes, as far as the task itself does not matter. */
export function togetherChanged(given: Given): Fault[] {
  const { external_source, external_id } = given
  const isPair = external_source !== undefined && external_id !== undefined
  return [
    ...startAfterDue(given),
    ...(isPair ? loneHalf(given) : []),
    ...(countsFromDue(given) && given.due_date === null ? [UNDUE] : []),
    ...bothWays(given, 'assignee_ids'),
    ...bothWays(given, 'tag_ids'),
  ]
}

export const OPERATIONS = ['create', 'update', 'complete', 'delete', 'restore'] as const

/** What an operation in bulk must and must not have. */
export function togetherInBulk({ op, id, version, data }: Given): Fault[] {
  if (!OPERATIONS.some((known) => known === op)) return []
  const creates = op === 'create'
  const takes = creates || op === 'update'
  const faults: Fault[] = []
  const no = (name: string) => faults.push(fault(name, 'unknown_field', `is not for ${op}`))
  const must = (name: string) => faults.push(fault(name, 'required', 'is required'))
  if (creates && id !== undefined) no('id')
  if (creates && version !== undefined) no('version')
  if (!creates && id === undefined) must('id')
  if (!takes && data !== undefined) no('data')
  if (takes && data === undefined) must('data')
  return faults
}

const DAY = /^\d{4}-\d\d-\d\d$/
const isDay = (value: unknown): value is string => typeof value === 'string' && DAY.test(value)

function startAfterDue({ start_date, due_date }: Given): Fault[] {
  if (!isDay(start_date) || !isDay(due_date) || start_date <= due_date) return []
  return [fault('start_date', 'invalid_range', 'must not be after due_date')]
}

const NO_PAIR = { external_source: null, external_id: null }

function loneHalf({ external_source, external_id }: Given): Fault[] {
  if ((external_source === null) === (external_id === null)) return []
  const missing = external_source === null ? 'external_source' : 'external_id'
  return [fault(missing, 'conflicting_fields', 'must be given with the other, or neither')]
}

const UNDUE = fault('recurrence', 'conflicting_fields', 'needs a due date with the basis due_date')

function countsFromDue({ recurrence }: Given): boolean {
  if (typeof recurrence !== 'object' || recurrence === null) return false
  const { basis = 'due_date' } = recurrence as { basis?: unknown }
  return basis === 'due_date'
}

function bothWays(given: Given, name: string): Fault[] {
  const [add, remove] = [given[`add_${name}`], given[`remove_${name}`]]
  if (!Array.isArray(add) || !Array.isArray(remove)) return []
  const added = new Set<unknown>(add)
  return remove.flatMap((id, at) =>
    added.has(id)
      ? [fault(`remove_${name}[${at}]`, 'conflicting_fields', 'cannot be both added and removed')]
      : [],
  )
}
