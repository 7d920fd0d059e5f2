import type { FastifyRequest } from 'fastify'
import { secondFactorMissing } from '#auth/second-factor/second-factor.ts'
import { workspaceDeleted } from '#auth/workspaces/workspaces.ts'
import { lacksSecondFactor, type UserActor } from '#core/actor.ts'
import type { AppContext } from '../app-context.ts'

/** Authenticates a request that lasts once more, and throws what its admission would throw now. */
export async function revalidateActor(
  { authenticator }: Pick<AppContext, 'authenticator'>,
  { headers: { authorization, cookie } }: FastifyRequest,
): Promise<UserActor> {
  const actor = await authenticator.authenticate(authorization, cookie)
  if (actor.workspace_deleted_at) throw workspaceDeleted()
  if (lacksSecondFactor(actor)) throw secondFactorMissing()
  return actor
}

/**
 * Whether a position of one actor still stands for the same records: a session may have gone to
 * another workspace, and a grant may have lost scopes.
 */
export const canResume = (before: UserActor, now: UserActor): boolean =>
  before.workspace_id === now.workspace_id && before.scopes.isSubsetOf(now.scopes)
