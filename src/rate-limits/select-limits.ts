import type { Actor, Plan } from '#core/actor.ts'
import type { NamedLimit } from './memory-counter.ts'

/** A limit, and what the error says once it is reached. */
export interface AppliedLimit extends NamedLimit {
  code: 'rate_limit_exceeded' | 'key_rate_limited'
  /** Who has used all requests of the minute. */
  subject: string
}

/** The limit of a request, and the smaller one within it, if there is one. */
export interface RequestLimits {
  limit: AppliedLimit
  sublimit?: AppliedLimit | undefined
}

/**
 * Selects the limits of a request. The API keys and applications of a workspace share one limit,
 * within which a key may have its own; its sessions share another one of the same size. So a program
 * and the people in the web app never lock each other out.
 */
export function selectLimits(perMinute: Record<Plan, number>, actor: Actor): RequestLimits {
  const { type, workspace_id, plan } = actor
  const limit = perMinute[plan]
  const code = 'rate_limit_exceeded'
  if (type === 'user') {
    return { limit: { name: `${workspace_id}:sessions`, limit, code, subject: 'The web app' } }
  }
  return {
    limit: { name: workspace_id, limit, code, subject: 'The workspace' },
    sublimit: keyLimit(actor, limit),
  }
}

/** The limit of the key itself. After a change of plan that of the workspace may be the smaller one. */
function keyLimit(
  { workspace_id, credential_id, rate_limit }: Actor,
  limit: number,
): AppliedLimit | undefined {
  if (!rate_limit || rate_limit >= limit) return undefined
  return {
    name: `${workspace_id}:${credential_id}`,
    limit: rate_limit,
    code: 'key_rate_limited',
    subject: 'This API key',
  }
}
