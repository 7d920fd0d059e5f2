/** A task beside a list, and links to it. The page and the panel are in task-detail.ts. */

export { TaskLink } from './links/task-link.tsx'
export { TaskSidePanel } from './task-side-panel.tsx'
