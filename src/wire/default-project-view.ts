/** How a project's tasks are shown when its address names no view (docs/spec/web.md#foundations). */
export const DEFAULT_PROJECT_VIEW = { group: 'status', sort: 'position' } as const

/** How many tasks the first request for an index includes: about one screen of rows. */
export const INITIAL_ROWS = 40
