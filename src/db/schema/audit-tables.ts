import type { Actor } from '#core/actor.ts'
import type { AuditAction } from '#wire/audit-actions.ts'

/* Rows of the audit log; `tables.ts` has the others. */

export interface AuditEntryRow {
  /** The chain: of a workspace, or `installation`. */
  workspace_id: string
  /** From 1, without gaps. */
  sequence: number
  at: string
  actor_type: Actor['type']
  /** The user; null for the system and for failed sign-ins. */
  actor_id: string | null
  /** The API key, session or application that the actor used. */
  credential_id: string | null
  action: AuditAction
  subject_id: string | null
  /** JSON of ids and values from closed sets, as it was hashed. */
  details: string
  operation_id: string
  /** Over the entry and the hash of the one before, lower-case hex. */
  hash: string
}

/** The head of a chain: its last sequence and hash. */
export interface AuditHeadRow {
  workspace_id: string
  sequence: number
  hash: string
  updated_at: string
}
