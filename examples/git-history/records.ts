/** Of Docket's records only what this program looks at; replies hold more, and may grow. */
export interface Project {
  id: string
  prefix: string
  name: string
  status: 'active' | 'archived'
  statuses: { key: string; category: string }[]
}

export interface Member {
  id: string
  email: string | null
}

export interface Tag {
  id: string
  name: string
}

export interface Task {
  id: string
  comment_count: number
}

export interface Comment {
  body: string
}

/** What this program writes of a task. */
export interface NewTask {
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

export interface Problem {
  code: string
  message: string
  details: { field: string; code: string; message: string; resource_id?: string }[]
}

/** The reply of `POST /api/v1/tasks/bulk`, a result for each operation in its order. */
export interface BulkReply {
  results: { status: number; data: Task | null; error: Problem | null }[]
}
