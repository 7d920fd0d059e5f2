import type { Allowances } from '#lib/address.ts'
import type { Plan } from './actor.ts'

/** What an operator has set and operations look at: the same for all workspaces. */
export interface Settings {
  /** Days for which a deleted task can be restored. */
  trashDays: number
  requestsPerMinute: Record<Plan, number>
  webhookTargets: WebhookTargets
  /** Whether owners may not change the plan of their workspace. */
  planLocked: boolean
  /** What the web app tells of the installation. */
  web: { max_attachment_bytes: number; signup: 'open' | 'invite'; mail: boolean }
  /** Bytes that all files of a workspace may have together; Infinity without a limit. */
  workspaceAttachmentBytes: number
}

/** Where webhooks may go beside public addresses by https (contract 8.7). */
export interface WebhookTargets extends Allowances {
  allowHttp: boolean
}
