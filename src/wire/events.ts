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
