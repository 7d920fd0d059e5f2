import type { Task as TaskRecord } from '#resources/tasks/fields.ts'
import type { SUMMARY_FIELDS } from '#resources/web-app/project-tasks/contract.ts'

/** What lists show of a task, and what follows from that and its project. */
type SummaryField = (typeof SUMMARY_FIELDS)[number] | 'project_id' | 'short_id' | 'status_category'

/** A task of the page. A row of a list lacks its details until the task is read by itself. */
type PageTask = Pick<TaskRecord, SummaryField> & Partial<Omit<TaskRecord, SummaryField>>

export type { PageTask as Task }
