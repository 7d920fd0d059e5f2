import type { NetworkAllowlist } from '#lib/ip-address.ts'
import type { Plan } from './actor.ts'

/** The operator's settings that operations read; the same for all workspaces. */
export interface OperatorSettings {
  requestsPerMinute: Record<Plan, number>
  /** Where webhooks may go beside public https addresses (docs/spec/api.md#where-webhooks-may-go). */
  webhookTargets: NetworkAllowlist
  /** True if owners may not change the plan of their workspace. */
  planLocked: boolean
  /** Facts about the installation that the web app receives as JSON. */
  web: {
    max_attachment_bytes: number
    signup: 'open' | 'invite'
    mail: boolean
    offers_plans: boolean
  }
  /** The most bytes of a workspace: its texts, its files and its history together. */
  workspaceBytes: number
}

/**
 * The addresses that webhooks may reach by a protocol; undefined if none. `http` is for the networks of the
 * operator: over the internet others could read it on its way.
 */
export function findReachableAddresses(
  protocol: string,
  targets: NetworkAllowlist,
): NetworkAllowlist | undefined {
  if (protocol === 'https:') return targets
  if (protocol !== 'http:') return undefined
  if (targets.loopback) return targets
  return targets.networks.length > 0 ? { ...targets, isExclusive: true } : undefined
}
