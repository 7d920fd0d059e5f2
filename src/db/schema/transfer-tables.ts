/** An import of another tool's file; `plan` and `made` are JSON (resources/imports). */
export interface ImportRow {
  workspace_id: string
  id: string
  created_by_id: string
  /** The stored file; null once it is deleted. */
  file_id: string | null
  filename: string
  size_bytes: number
  kind: string | null
  status: string
  plan: string
  made: string
  row_count: number
  done_count: number
  made_count: number
  failed_count: number
  /** Rows with a warning. */
  warned_count: number
  error: string | null
  created_at: string
  updated_at: string
}

/** One task of an imported file with its comments, as JSON. */
export interface ImportFileRow {
  workspace_id: string
  import_id: string
  number: number
  place: number | null
  key: string | null
  row: string
  task_id: string | null
  fault: string | null
  /** What of the row could not be imported as the file says it, in sentences. */
  warning: string | null
  /** The key of the row below which the task comes, if not below the one that the row names; blank for none. */
  parent_key: string | null
}

/** An archive of the workspace that is being made, or can be downloaded for a day. */
export interface ExportRow {
  workspace_id: string
  id: string
  created_by_id: string
  status: string
  file_id: string | null
  filename: string
  size_bytes: number
  sha256: string | null
  progress: string
  error: string | null
  created_at: string
  updated_at: string
  expires_at: string | null
}
