import { defineMessages } from '../define-messages.ts'

/** Descriptions of activity on a task; they follow the person's name. */
export const activityMessages = defineMessages('activity', {
  /** The description of each kind of activity, before its changes. */
  kinds: {
    created: 'created this task',
    completed: 'completed this task',
    reopened: 'reopened this task',
    deleted: 'deleted this task',
    restored: 'restored this task',
    comment_deleted: 'deleted a comment',
    attachment_deleted: 'deleted the attachment',
  } as Record<string, string>,
  moved: 'moved',
  set: (what: string) => `set ${what}`,
  removed: (what: string) => `removed ${what}`,
  changed: (what: string) => `changed ${what}`,
  assigned: (names: string) => `assigned ${names}`,
  unassigned: (names: string) => `unassigned ${names}`,
  tagged: (names: string) => `added ${names}`,
  untagged: (names: string) => `removed ${names}`,
  blockers: (ids: string) => `marked this task as blocked by ${ids}`,
  unblocked: (ids: string) => `marked this task as no longer blocked by ${ids}`,
  other: (kind: string) => kind,
  fields: {
    title: 'the title',
    description: 'the description',
    priority: 'the priority',
    start_date: 'the start date',
    due_date: 'the due date',
    due_at: 'the due date',
    recurrence: 'the recurrence',
    parent_id: 'the parent task',
    project_id: 'the project',
    custom_fields: 'custom fields',
    metadata: 'metadata',
    external_id: 'the external ID',
    external_source: 'the external source',
  } as Record<string, string>,
  aTask: 'a task',
  aTag: 'a tag',
  nothing: 'none',
})
