/** A file of another tool that is brought in: `plan` and `made` are JSON (resources/imports). */
export interface ImportRow {
  workspace_id: string
  id: string
  created_by_id: string
  /** Where its bytes lie; null when they are gone. */
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
  error: string | null
  /** Which process works on it, and until when if nothing more is heard. */
  runner: string
  runner_until: string
  created_at: string
  updated_at: string
}

/** One task of such a file, with its comments, as JSON. */
export interface ImportRowRow {
  workspace_id: string
  import_id: string
  number: number
  place: number | null
  key: string | null
  row: string
  task_id: string | null
  fault: string | null
}

/** An archive of the workspace that is made, or lies ready for a day. */
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
  runner: string
  runner_until: string
  created_at: string
  updated_at: string
  expires_at: string | null
}
