import { defineMessages } from '../define-messages.ts'
import { plural } from '../plural.ts'

/** Texts of the trash. */
export const trashMessages = defineMessages('trash', {
  title: 'Trash',
  tasks: 'Deleted tasks',
  comments: 'Deleted comments',
  projects: 'Archived projects',
  tasksKeptFor: (days: number) =>
    plural(days, {
      one: 'Kept with subtasks, comments and files for # day, then gone for good',
      other: 'Kept with subtasks, comments and files for # days, then gone for good',
    }),
  keptFor: (days: number) =>
    plural(days, {
      one: 'Kept for # day, then gone for good',
      other: 'Kept for # days, then gone for good',
    }),
  keptForever: 'Kept until you restore them',
  deleted: (who: string, when: string, left: string) => `${who}, ${when} · ${left}`,
  withSubtasks: (n: number) => plural(n, { one: 'With # subtask', other: 'With # subtasks' }),
  archived: (when: string) => `Archived ${when}`,
  someone: 'Someone',
  daysLeft: (n: number) => plural(n, { one: '# day left', other: '# days left' }),
  lastDay: 'Last day',
  until: (when: string) => `Deleted for good: ${when}`,
  restore: 'Restore',
  restoreTask: (id: string) => `Restore ${id}`,
  restoreComment: (id: string) => `Restore comment on ${id}`,
  restoreProject: (name: string) => `Restore ${name}`,
  restoredProject: (name: string) => `Restored ${name}`,
  guestReason: 'Guests can restore only tasks that they created.',
  open: 'Open',
  more: 'Show more',
  empty: 'The trash is empty.',
})
