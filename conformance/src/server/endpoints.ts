/** An endpoint of the contract: `:id` is the id of a record whose type has this prefix. */
export interface CoreEndpoint {
  line: string
  idType?: string
  scope: string
}

const endpoint = (line: string, scope: string, idType?: string): CoreEndpoint => ({
  line,
  scope,
  ...(idType !== undefined && { idType }),
})

/** The 23 endpoints (docs/spec/api.md#the-23-endpoints). */
export const CORE_ENDPOINTS: readonly CoreEndpoint[] = [
  endpoint('GET /projects', 'projects:read'),
  endpoint('GET /projects/:id', 'projects:read', 'prj'),
  endpoint('GET /projects/:id/tasks', 'tasks:read', 'prj'),
  endpoint('POST /tasks', 'tasks:write'),
  endpoint('GET /tasks/:id', 'tasks:read', 'tsk'),
  endpoint('PATCH /tasks/:id', 'tasks:write', 'tsk'),
  endpoint('DELETE /tasks/:id', 'tasks:delete', 'tsk'),
  endpoint('POST /tasks/:id/complete', 'tasks:write', 'tsk'),
  endpoint('GET /tasks/:id/comments', 'comments:read', 'tsk'),
  endpoint('POST /tasks/:id/comments', 'comments:write', 'tsk'),
  endpoint('DELETE /comments/:id', 'comments:delete', 'cmt'),
  endpoint('GET /tasks/:id/time-entries', 'time_entries:read', 'tsk'),
  endpoint('POST /tasks/:id/time-entries', 'time_entries:write', 'tsk'),
  endpoint('PATCH /time-entries/:id', 'time_entries:write', 'tme'),
  endpoint('DELETE /time-entries/:id', 'time_entries:delete', 'tme'),
  endpoint('GET /projects/:id/tags', 'tags:read', 'prj'),
  endpoint('POST /projects/:id/tags', 'tags:write', 'prj'),
  endpoint('DELETE /tags/:id', 'tags:delete', 'tag'),
  endpoint('GET /workspace/members', 'members:read'),
  endpoint('GET /webhooks', 'webhooks:read'),
  endpoint('POST /webhooks', 'webhooks:write'),
  endpoint('PATCH /webhooks/:id', 'webhooks:write', 'whk'),
  endpoint('DELETE /webhooks/:id', 'webhooks:delete', 'whk'),
]

/** The endpoints with this id in their paths, or with one of each type that no record has. */
export const linesWithId = (
  endpoints: readonly CoreEndpoint[],
  id = (type: string) => `${type}_01zzzzzzzzzzzzzzzzzzzzzzzz`,
): string[] => endpoints.map(({ line, idType = '' }) => line.replace(':id', id(idType)))

/** A body for the methods that have one. */
export const bodyOf = (line: string): object | undefined =>
  /^(?:POST|PATCH) /.test(line) ? {} : undefined

/** The fields that a record has in every reply. */
export const RECORD_FIELDS = {
  project: `id name prefix description color icon lead_id visibility status archived_at start_date
    target_date statuses`,
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
