/** The ten kinds of event that webhooks and the event log carry (contract 8.2). */
export const EVENT_KINDS = [
  'task.created',
  'task.updated',
  'task.completed',
  'task.deleted',
  'task.assigned',
  'comment.created',
  'attachment.created',
  'project.updated',
  'member.added',
  'member.removed',
] as const

export type EventKind = (typeof EVENT_KINDS)[number]

/** Why an attempt at a delivery failed (contract 7.3). */
export const FAILURES = [
  'timeout',
  'connection_failed',
  'tls_error',
  'dns_failed',
  'blocked_address',
  'redirect',
  'http_status',
] as const

export type Failure = (typeof FAILURES)[number]
