import { createWorkspace } from '#auth/workspaces/workspaces.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { newId } from '#lib/id.ts'
import { createMembership } from '#resources/members/membership.ts'
import type { TestServer } from './test-server.ts'

/** Creates another workspace, "The other", and adds an existing person to it. */
export async function joinSecondWorkspace(
  { storage }: Pick<TestServer, 'storage'>,
  user_id: string,
) {
  const workspace = newId('wsp')
  await storage.write({ ...ANONYMOUS_ACTOR, workspace_id: workspace }, async (tx) => {
    await createWorkspace(tx, { name: 'The other', plan: 'paid', timezone: 'UTC' })
    await createMembership(tx, { user_id, name: 'The member', role: 'member' })
  })
  return { workspace }
}
