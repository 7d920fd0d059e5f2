/** The kinds of entry in the activity of a task. */
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
  'comment_restored',
  'attachment_deleted',
  'attachment_restored',
] as const

export type ActivityKind = (typeof ACTIVITY_KINDS)[number]
