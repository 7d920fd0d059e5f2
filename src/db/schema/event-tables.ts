import type { Generated } from 'kysely'
import type { DeliveryFailure, EventKind } from '#wire/event-kinds.ts'

/* Rows of events, webhooks and deliveries; `tables.ts` has the others. */

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
  /** The webhook receives events after this sequence: it was created or last enabled then. */
  enabled_after_sequence: number
  /** How often it was disabled; deliveries of an earlier activation are canceled. */
  activation: Generated<number>
  /** 1: some deliveries of earlier activations are not canceled yet. */
  has_stale: Generated<number>
  /** When the first of its deliveries is due; null when none waits. */
  next_due_at: Generated<string | null>
  pending_count: Generated<number>
  /** When the first failed attempt since the last success happened. */
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
  /** The envelope: exactly the bytes that are signed and sent. */
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
  /** The envelope of a test delivery; that of an event is in `events`. */
  payload: string | null
  /** 0: tests and redeliveries; 1: live events; 2: replays. */
  queue: 0 | 1 | 2
  /** Deliveries in one lane of a webhook are sent one after the other; null: waits for none. */
  lane: string | null
  /** 1 while an earlier delivery in its lane has to be sent first. */
  blocked: number
  activation: number
  status: 'pending' | 'succeeded' | 'failed' | 'canceled'
  attempt_count: number
  due_at: string
  last_attempt_at: string | null
  response_status: number | null
  duration_ms: number | null
  error: DeliveryFailure | null
  is_test: number
  redelivery_of_id: string | null
  created_at: string
  completed_at: string | null
}

export interface DeliveryAttemptRow {
  workspace_id: string
  delivery_id: string
  number: number
  started_at: string
  duration_ms: number
  response_status: number | null
  response_body: string | null
  error: DeliveryFailure | null
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
