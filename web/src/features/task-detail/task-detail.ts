/** The page and the panel of a task, which share one chunk. */

export { Trash } from '../trash/index.ts'
export { TaskPage } from './task-page.tsx'
export { TaskPanel } from './task-panel.tsx'
