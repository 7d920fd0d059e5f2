/** The kinds of event in webhooks and in the event log (docs/spec/api.md#kinds-of-event). */
export const EVENT_KINDS = [
  'task.created',
  'task.updated',
  'task.completed',
  'task.deleted',
  'task.assigned',
  'comment.created',
  'comment.updated',
  'comment.deleted',
  'attachment.created',
  'attachment.deleted',
  'time_entry.created',
  'time_entry.updated',
  'time_entry.deleted',
  'tag.created',
  'tag.updated',
  'tag.deleted',
  'project.created',
  'project.updated',
  'member.added',
  'member.updated',
  'member.removed',
] as const

export type EventKind = (typeof EVENT_KINDS)[number]

/** The reasons for which a delivery attempt fails (docs/spec/api.md#extensions). */
export const DELIVERY_FAILURES = [
  'timeout',
  'connection_failed',
  'tls_error',
  'dns_failed',
  'blocked_address',
  'redirect',
  'http_status',
] as const

export type DeliveryFailure = (typeof DELIVERY_FAILURES)[number]
