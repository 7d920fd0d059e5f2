import type { Status } from './contract.ts'

/** The statuses of a new project (docs/spec/api.md#project). */
export const DEFAULT_STATUSES: readonly Status[] = [
  { key: 'backlog', name: 'Backlog', category: 'backlog', color: '#94a3b8', position: 0 },
  { key: 'todo', name: 'Todo', category: 'unstarted', color: '#64748b', position: 1 },
  { key: 'in_progress', name: 'In progress', category: 'started', color: '#f59e0b', position: 2 },
  { key: 'in_review', name: 'In review', category: 'started', color: '#8b5cf6', position: 3 },
  { key: 'done', name: 'Done', category: 'completed', color: '#22c55e', position: 4 },
  { key: 'canceled', name: 'Canceled', category: 'canceled', color: '#9ca3af', position: 5 },
]
