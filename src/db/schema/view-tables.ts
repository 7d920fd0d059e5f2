/* Rows of saved views and project templates; `tables.ts` has the others. */

export interface ViewRow {
  workspace_id: string
  id: string
  project_id: string
  name: string
  view: 'list' | 'board' | 'timeline' | 'calendar'
  /** The filter as the user typed it. */
  filter: string
  sort: string
  grouping: string
  lanes: 'none' | 'assignee' | 'priority'
  /** The user who alone sees it; empty if everybody who sees the project does. */
  only_for: string
  created_by_id: string
  created_at: string
  updated_at: string
}

export interface TemplateRow {
  workspace_id: string
  id: string
  project_id: string
  name: string
  /** JSON. */
  tasks: string
  task_count: number
  created_by_id: string
  created_at: string
  updated_at: string
}
