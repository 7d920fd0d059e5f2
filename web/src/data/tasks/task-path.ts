/** The path of a task's own page. */
export const getTaskPath = (workspace_id: string, short_id: string): string =>
  `/w/${workspace_id}/t/${short_id}`

/** The hash of an address that opens a task to write a new subtask. */
export const NEW_SUBTASK_HASH = 'new-subtask'
