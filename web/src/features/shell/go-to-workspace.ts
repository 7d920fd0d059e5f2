import type { useNavigate } from '@tanstack/react-router'
import { switchWorkspace } from '../../data/session.ts'

/** Another workspace: in this tab, and in the session. */
export async function goToWorkspace(
  id: string,
  navigate: ReturnType<typeof useNavigate>,
): Promise<void> {
  await switchWorkspace(id)
  await navigate({ to: '/w/$workspaceId/my', params: { workspaceId: id } })
}
