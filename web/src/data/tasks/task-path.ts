/** The path of a task's own page. */
export const getTaskPath = (workspace_id: string, short_id: string): string =>
  `/w/${workspace_id}/t/${short_id}`
