import { fetchOrThrow } from '../../lib/http/fetch-or-throw.ts'
import { readErrorResponse } from '../../lib/http/request-endpoint.ts'
import { bootState, loadBoot } from './boot.ts'
import { broadcastSession } from './current-session.ts'

/**
 * Makes another workspace the current one of the session. It is announced to the other tabs first,
 * so that none of their writes goes to the wrong workspace. Throws if the person is not a member.
 */
export async function switchToWorkspace(workspace_id: string): Promise<void> {
  const before = bootState.get()?.session
  const target = before?.workspaces.find(({ id }) => id === workspace_id)
  if (before && target) broadcastSession({ user: before.user, workspace: target })
  try {
    const response = await fetchOrThrow('/internal/session', {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ workspace_id }),
    })
    if (!response.ok) throw await readErrorResponse(response)
  } catch (error) {
    // Should the server have switched in spite of it, it refuses the requests of the other tabs.
    if (before) broadcastSession(before)
    throw error
  }
  broadcastSession((await loadBoot()).session)
}
