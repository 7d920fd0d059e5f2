/* Rows of what is kept of looks and of tasks to come; `tables.ts` has the others. */

export interface ViewRow {
  workspace_id: string
  id: string
  project_id: string
  name: string
  view: 'list' | 'board' | 'timeline' | 'calendar'
  /** As it is typed. */
  filter: string
  sort: string
  grouping: string
  lanes: 'none' | 'assignee' | 'priority'
  /** The person who alone sees it; empty: everybody who sees the project. */
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
