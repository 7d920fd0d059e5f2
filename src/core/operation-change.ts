import type { OperationChange } from '#wire/operation-record.ts'
import type { FieldChanges } from './transaction.ts'

/** An event of an operation, of the log or not stored yet. */
export interface OperationEvent {
  type: string
  project_id: string | null
  data: Record<string, unknown>
  changes: FieldChanges
}

/** What an event says that an operation did to a record, with the name that a person knows the record by. */
export function toOperationChange(event: OperationEvent): OperationChange {
  const { type, project_id, data, changes } = event
  const { title, name, filename, user } = data
  const text = [title, name, filename, Object(user).name].find((one) => typeof one === 'string')
  return {
    event_type: type as OperationChange['event_type'],
    record_type: (type.split('.')[0] ?? '') as OperationChange['record_type'],
    record_id: recordIdOf(event),
    project_id,
    name: typeof text === 'string' ? text : null,
    changes,
  }
}

/** The id of the record of an event; of a member that of the person. */
export const recordIdOf = ({ type, data: { id, user_id } }: OperationEvent): string =>
  String(type.startsWith('member.') ? (user_id ?? id) : id)
