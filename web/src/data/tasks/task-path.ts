import { bootState } from '../session/boot.ts'

/** The path of a task's own page. */
export const getTaskPath = (workspace_id: string, short_id: string): string =>
  `/w/${workspace_id}/t/${short_id}`

/** Opens the page of a task: the router follows the address. */
export function openTaskPage(short_id: string): void {
  const workspaceId = bootState.get()?.session.workspace.id
  if (workspaceId) history.pushState({}, '', getTaskPath(workspaceId, short_id))
}

/** The hash of an address that opens a task to write a new subtask. */
export const NEW_SUBTASK_HASH = 'new-subtask'
