import { timeEntryJson } from '#db/tasks/timers.ts'
import {
  CREATION_FIELDS,
  defineArchivePart,
  defineRecord,
  NullableTimestamp,
  UserId,
} from '#resources/noun.ts'
import { RecordSource } from '#wire/record-fields.ts'
import { Id, StrictObject } from '#wire/schema-builders.ts'
import { TimeEntry } from './contract.ts'

export const timeEntryRecord = defineRecord('time_entry', {
  schema: TimeEntry,
  events: {
    created: 'Time was logged, or a timer was started.',
    updated: 'A time entry was changed, or a timer was stopped.',
    deleted: 'A time entry was deleted, other than with its task.',
  },
  table: 'time_entries',
  idPrefix: 'tme',
  rank: 6,
  of: 'task',
  json: timeEntryJson,
})

const entry = TimeEntry.properties

export const archivedTimeEntries = defineArchivePart({
  line: StrictObject({
    id: Id('tme'),
    task_id: Id('tsk'),
    user_id: UserId,
    started_at: NullableTimestamp,
    ended_at: NullableTimestamp,
    duration_seconds: entry.duration_seconds,
    spent_on: entry.spent_on,
    note: entry.note,
    billable: entry.billable,
    source: RecordSource,
    ...CREATION_FIELDS,
  }),
  table: 'time_entries',
  flags: ['billable'],
  people: ['user_id', 'created_by_id'],
})
