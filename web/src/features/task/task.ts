/** A task, beside a list and on a page of its own. */

export { TaskPage } from './task-page.tsx'
export { TaskPanel } from './task-panel.tsx'
