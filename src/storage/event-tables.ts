import type { Generated } from 'kysely'
import type { EventKind, Failure } from '#wire/events.ts'

/* Rows of what happened and of its way out; `tables.ts` has the others. */

export interface WebhookRow {
  workspace_id: string
  id: string
  url: string
  description: string | null
  /** JSON arrays, as sent. */
  events: string
  project_ids: string | null
  is_active: number
  disabled_reason: string | null
  failure_count: number
  last_delivery_at: string | null
  last_success_at: string | null
  last_failure_at: string | null
  sealed_secret: string
  secret_hint: string
  sealed_previous_secret: string | null
  previous_secret_expires_at: string | null
  /** Events after this sequence are its own: it was made or last enabled then. */
  enabled_after_sequence: number
  /** How often it was disabled; deliveries of an earlier activation are canceled. */
  activation: Generated<number>
  /** 1: some of those are not canceled yet. */
  has_stale: Generated<number>
  /** When the first of its deliveries is due; null when none waits. */
  next_due_at: Generated<string | null>
  pending_count: Generated<number>
  /** The first of the failed attempts since the last success. */
  failing_since: Generated<string | null>
  created_by_id: string
  created_at: string
  updated_at: string
}

export interface EventRow {
  workspace_id: string
  sequence: number
  id: string
  type: EventKind
  project_id: string | null
  former_project_id: string | null
  subject_id: string
  /** The envelope: the very bytes that are signed and sent. */
  payload: string
  created_at: string
}

export interface DeliveryRow {
  workspace_id: string
  id: string
  webhook_id: string
  event_id: string
  event_type: EventKind | 'webhook.test'
  /** Null for a test. */
  sequence: number | null
  /** The envelope of a test; that of an event lies in the log. */
  payload: string | null
  /** Which waits its turn among which: 0 tests and redeliveries, 1 events as they come, 2 replays. */
  queue: 0 | 1 | 2
  /** Deliveries of one lane of a webhook go one after the other; null: waits for none. */
  lane: string | null
  /** 1 while an earlier one of its lane has to come first. */
  blocked: number
  activation: number
  status: 'pending' | 'succeeded' | 'failed' | 'canceled'
  attempt_count: number
  due_at: string
  last_attempt_at: string | null
  response_status: number | null
  duration_ms: number | null
  error: Failure | null
  is_test: number
  redelivery_of_id: string | null
  created_at: string
  completed_at: string | null
}

export interface AttemptRow {
  workspace_id: string
  delivery_id: string
  number: number
  started_at: string
  duration_ms: number
  response_status: number | null
  response_body: string | null
  error: Failure | null
  url: string
  /** JSON object of the headers sent. */
  headers: string
}

/** A replay whose events are not all queued yet. */
export interface ReplayRow {
  workspace_id: string
  id: string
  webhook_id: string
  activation: number
  next_sequence: number
  to_sequence: number
}
