/** What is done to a task, as its activity tells it. */
export const ACTIVITY_KINDS = [
  'created',
  'updated',
  'assigned',
  'completed',
  'reopened',
  'moved',
  'deleted',
  'restored',
  'comment_deleted',
  'attachment_deleted',
] as const

export type ActivityKind = (typeof ACTIVITY_KINDS)[number]
