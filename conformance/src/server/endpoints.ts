/** An endpoint of docs/spec/api.md, with the scope that it needs. */
export interface CoreEndpoint {
  line: string
  scope: string
}

/** The 23 endpoints (docs/spec/api.md#the-23-endpoints). */
export const CORE_ENDPOINTS: readonly CoreEndpoint[] = `
GET /projects                 projects:read
GET /projects/:id             projects:read
GET /projects/:id/tasks       tasks:read
POST /tasks                   tasks:write
GET /tasks/:id                tasks:read
PATCH /tasks/:id              tasks:write
DELETE /tasks/:id             tasks:delete
POST /tasks/:id/complete      tasks:write
GET /tasks/:id/comments       comments:read
POST /tasks/:id/comments      comments:write
DELETE /comments/:id          comments:delete
GET /tasks/:id/time-entries   time_entries:read
POST /tasks/:id/time-entries  time_entries:write
PATCH /time-entries/:id       time_entries:write
DELETE /time-entries/:id      time_entries:delete
GET /projects/:id/tags        tags:read
POST /projects/:id/tags       tags:write
DELETE /tags/:id              tags:delete
GET /workspace/members        members:read
GET /webhooks                 webhooks:read
POST /webhooks                webhooks:write
PATCH /webhooks/:id           webhooks:write
DELETE /webhooks/:id          webhooks:delete`
  .trim()
  .split('\n')
  .map((row) => {
    const [line = '', scope = ''] = row.split(/ {2,}/)
    return { line, scope }
  })

/** The types of ids by the first segment of a path. */
const ID_TYPES: Record<string, string> = {
  projects: 'prj',
  tasks: 'tsk',
  comments: 'cmt',
  'time-entries': 'tme',
  tags: 'tag',
  webhooks: 'whk',
}

/** A line with this id in its path, or with one of the right type that no record has. */
export const withId = (line: string, id?: string): string =>
  line.replace(':id', id ?? `${ID_TYPES[line.split('/')[1] ?? '']}_01zzzzzzzzzzzzzzzzzzzzzzzz`)

/** An empty body for the methods that have one. */
export const bodyOf = (line: string): object | undefined =>
  /^(?:POST|PATCH) /.test(line) ? {} : undefined

/** The fields that a record has in every reply. */
export const RECORD_FIELDS = {
  project: `id name prefix description color icon lead_id visibility status archived_at start_date
    target_date statuses task_counts url created_by_id created_at updated_at`,
  task: `id project_id number short_id url title description status status_category completed_at
    completed_by_id canceled_at priority assignee_ids tag_ids start_date due_date due_at parent_id
    position estimate_seconds time_spent_seconds blocked_by_ids blocking_ids recurrence
    recurred_from_id custom_fields external_source external_id metadata comment_count
    attachment_count subtask_count completed_subtask_count version created_by_id created_at
    updated_at deleted_at`,
  comment: `id task_id author_id author body parent_id mentions source edited_at created_at
    updated_at`,
  timeEntry: `id task_id project_id user_id started_at ended_at duration_seconds is_running
    spent_on note billable source created_by_id created_at updated_at`,
  tag: 'id project_id name color task_count created_by_id created_at updated_at',
  member: 'id name email avatar_url role status timezone locale joined_at last_active_at',
  webhook: `id url description events project_ids is_active status disabled_reason failure_count
    last_delivery_at last_success_at last_failure_at secret_hint previous_secret_expires_at
    created_by_id created_at updated_at`,
  event: `id type timestamp workspace_id project_id sequence operation_id api_version actor data
    changes`,
} as const

/** The names of these fields. */
export const fieldsOf = (record: keyof typeof RECORD_FIELDS): string[] =>
  RECORD_FIELDS[record].split(/\s+/)
