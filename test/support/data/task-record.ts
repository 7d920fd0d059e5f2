import { DEFAULT_TASK_FIELDS, type Task } from '#resources/tasks/fields.ts'

const CREATED_AT = '2026-01-05T08:00:00.000Z'

/** A task as the API returns it, unstarted and without anything that is optional. */
export const createTaskRecord = (fields: Partial<Task> = {}): Task => ({
  id: 'tsk_1',
  project_id: 'prj_1',
  number: 1,
  short_id: 'ENG-1',
  url: 'http://127.0.0.1:4000/w/wsp_1/t/ENG-1',
  title: 'One',
  ...DEFAULT_TASK_FIELDS,
  status: 'todo',
  status_category: 'unstarted',
  completed_at: null,
  completed_by_id: null,
  canceled_at: null,
  position: 'a0',
  time_spent_seconds: 0,
  blocking_ids: [],
  recurred_from_id: null,
  comment_count: 0,
  attachment_count: 0,
  subtask_count: 0,
  completed_subtask_count: 0,
  version: 1,
  created_by_id: 'usr_1',
  created_at: CREATED_AT,
  updated_at: CREATED_AT,
  deleted_at: null,
  ...fields,
})
