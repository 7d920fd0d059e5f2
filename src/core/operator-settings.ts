import type { NetworkAllowlist } from '#lib/ip-address.ts'
import type { Plan } from './actor.ts'

/** The operator's settings that operations read; the same for all workspaces. */
export interface OperatorSettings {
  requestsPerMinute: Record<Plan, number>
  webhookTargets: WebhookTargetPolicy
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

/** The targets allowed for webhooks beside public https addresses (docs/spec/api.md#where-webhooks-may-go). */
export interface WebhookTargetPolicy extends NetworkAllowlist {
  allowHttp: boolean
}
