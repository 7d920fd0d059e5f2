/** Only the fields that this program reads: replies have more, and may get new ones. */
export interface ProjectRecord {
  id: string
  prefix: string
  name: string
  status: 'active' | 'archived'
  statuses: { key: string; category: string }[]
}

export interface MemberRecord {
  id: string
  email: string | null
}

export interface TagRecord {
  id: string
  name: string
}

export interface TaskRecord {
  id: string
  comment_count: number
}

export interface CommentRecord {
  body: string
}

/** The fields of a task that this program sets. */
export interface CreateTaskRequest {
  project_id: string
  title: string
  description?: string
  status: string
  assignee_ids: string[]
  tag_ids: string[]
  start_date?: string
  due_date?: string
  external_source: string
  external_id: string
  metadata: Record<string, string>
}

export interface ProblemRecord {
  code: string
  message: string
  details: { field: string; code: string; message: string; resource_id?: string }[]
}

/** The reply of `POST /api/v1/tasks/bulk`: one result per operation, in order. */
export interface BulkReply {
  results: { status: number; data: TaskRecord | null; error: ProblemRecord | null }[]
}
