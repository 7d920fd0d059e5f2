import { sql } from 'kysely'
import type { RecordSource } from '#wire/record-source.ts'
import type { Dialect } from '../core/dialect.ts'

/** The record of a time entry (docs/spec/api.md#time-entry). */
interface TimeEntryRecord {
  id: string
  task_id: string
  project_id: string
  user_id: string
  started_at: string | null
  ended_at: string | null
  duration_seconds: number | null
  is_running: boolean
  spent_on: string
  note: string | null
  billable: boolean
  source: RecordSource
  created_by_id: string
  created_at: string
  updated_at: string
}

/** The JSON of a time entry. Needs its task joined. */
export const timeEntryJson = ({ engine, json }: Dialect) => {
  const running = sql`time_entries.duration_seconds is null`
  return json<TimeEntryRecord>('time_entries', {
    id: 'plain',
    task_id: 'plain',
    project_id: sql.ref('tasks.project_id'),
    user_id: 'plain',
    started_at: 'plain',
    ended_at: 'plain',
    duration_seconds: 'plain',
    is_running:
      engine === 'sqlite' ? sql`json(case when ${running} then 'true' else 'false' end)` : running,
    spent_on: 'plain',
    note: 'plain',
    billable: 'flag',
    source: 'plain',
    created_by_id: 'plain',
    created_at: 'plain',
    updated_at: 'plain',
  })
}
