import { type FieldError, fieldError } from '#wire/field-error.ts'

/** A body before its fields have been validated: its values may be of any type. */
type UncheckedTaskBody = Readonly<Record<string, unknown>>

/** The fields that rules compare. A field that is undefined may still get any value. */
interface ComparedFields {
  readonly start_date?: unknown
  readonly due_date?: unknown
  readonly recurrence?: unknown
  readonly external_source?: unknown
  readonly external_id?: unknown
}

/**
 * The rules between fields of a task (docs/spec/api.md#task). They hold for a request by itself,
 * together with the errors of its fields, and for the task as the request would make it. An error
 * names a field that the request has sent.
 */
export const findCrossFieldErrors = (fields: ComparedFields, sent: ComparedFields): FieldError[] =>
  RULES.flatMap((rule) => rule(fields, sent) ?? [])

type Rule = (fields: ComparedFields, sent: ComparedFields) => FieldError | undefined

const DAY = /^\d{4}-\d\d-\d\d$/
const isDay = (value: unknown): value is string => typeof value === 'string' && DAY.test(value)

const RULES: readonly Rule[] = [
  function startsBeforeItIsDue({ start_date, due_date }, sent) {
    if (!isDay(start_date) || !isDay(due_date) || start_date <= due_date) return undefined
    if (sent.start_date)
      return fieldError('start_date', 'invalid_range', 'must not be after `due_date`')
    const field = sent.due_date ? 'due_date' : 'due_at'
    return fieldError(field, 'invalid_range', 'must not be before `start_date`')
  },
  function recursFromADueDate({ recurrence, due_date }, sent) {
    if (typeof recurrence !== 'object' || recurrence === null || due_date !== null) return undefined
    const { basis = 'due_date' } = recurrence as { basis?: unknown }
    if (basis !== 'due_date') return undefined
    const field = sent.recurrence === undefined ? 'due_date' : 'recurrence'
    const why =
      field === 'due_date'
        ? 'is required, because the task recurs on the basis of due_date'
        : 'requires a due date, unless its basis is completion'
    return fieldError(field, 'conflicting_fields', why)
  },
  function hasBothOrNoExternalFields({ external_source, external_id }) {
    if (external_source === undefined || external_id === undefined) return undefined
    if ((external_source === null) === (external_id === null)) return undefined
    const [missing, other] =
      external_source === null
        ? (['external_source', 'external_id'] as const)
        : (['external_id', 'external_source'] as const)
    return fieldError(missing, 'conflicting_fields', `is required together with \`${other}\``)
  },
]

/** The rules for a new task as it is sent: null is the same as an absent field. */
export function validateNewTask(body: UncheckedTaskBody): FieldError[] {
  const { start_date = null, external_source = null, external_id = null, recurrence } = body
  const due_date = body.due_date ?? (body.due_at ? undefined : null)
  const fields = { start_date, due_date, recurrence, external_source, external_id }
  return findCrossFieldErrors(fields, body)
}

/** The rules for an update as it is sent, as far as they do not depend on the task. */
export const validateTaskChanges = (body: UncheckedTaskBody): FieldError[] => [
  ...findCrossFieldErrors(body, body),
  ...validateUndo(body, 'undo_move', 'project_id'),
  ...validateUndo(body, 'undo_completion', 'status'),
  ...validateAddRemove(body, 'assignee_ids'),
  ...validateAddRemove(body, 'tag_ids'),
]

export const BULK_OPERATIONS = ['create', 'update', 'complete', 'delete', 'restore'] as const

/** Which fields each bulk operation requires and forbids. */
export function validateBulkOperation({ op, id, version, data }: UncheckedTaskBody): FieldError[] {
  if (!BULK_OPERATIONS.some((operation) => operation === op)) return []
  const isCreate = op === 'create'
  const takesData = isCreate || op === 'update'
  const errors: FieldError[] = []
  const forbid = (name: string) =>
    errors.push(fieldError(name, 'unknown_field', `is not accepted by the operation ${op}`))
  const requireField = (name: string) => errors.push(fieldError(name, 'required', 'is required'))
  if (isCreate && id !== undefined) forbid('id')
  if (isCreate && version !== undefined) forbid('version')
  if (!isCreate && id === undefined) requireField('id')
  if (!takesData && data !== undefined) forbid('data')
  if (takesData && data === undefined) requireField('data')
  return errors
}

const validateUndo = (body: UncheckedTaskBody, name: string, required: string): FieldError[] =>
  body[name] === true && body[required] === undefined
    ? [fieldError(required, 'conflicting_fields', `is required together with \`${name}\``)]
    : []

function validateAddRemove(body: UncheckedTaskBody, name: string): FieldError[] {
  const [add, remove] = [body[`add_${name}`], body[`remove_${name}`]]
  if (!Array.isArray(add) || !Array.isArray(remove)) return []
  const added = new Set<unknown>(add)
  return remove.flatMap((id, at) =>
    added.has(id)
      ? [
          fieldError(
            `remove_${name}[${at}]`,
            'conflicting_fields',
            'cannot be both added and removed',
          ),
        ]
      : [],
  )
}
