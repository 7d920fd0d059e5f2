/** A task beside a list, links to it, and what a new one shares with it. The page and the panel are in task-detail.ts. */

export { useProjectNameLookup } from './formatting/use-name-lookup.ts'
export { OpenTaskLink } from './links/open-task-link.tsx'
export { TaskLink } from './links/task-link.tsx'
export { createTaskSearch, listCachedTaskOptions } from './links/task-options.tsx'
export { taskSearch } from './links/task-search.ts'
export { TaskSidePanel } from './task-side-panel.tsx'
export { ActivityPhrases } from './thread/activity-phrases.tsx'
export { describeChanges } from './thread/describe-changes.ts'
