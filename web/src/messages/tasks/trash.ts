import { defineMessages } from '../define-messages.ts'
import { plural } from '../plural.ts'

/** Texts of the trash. */
export const trashMessages = defineMessages('trash', {
  title: 'Trash',
  list: 'Deleted tasks',
  about:
    'Deleted tasks keep their subtasks, comments and files until their days are over. Projects are never deleted, only archived.',
  deleted: (who: string, when: string, left: string) => `${who}, ${when} · ${left}`,
  somebody: 'Somebody',
  daysLeft: (n: number) => plural(n, { one: '# day left', other: '# days left' }),
  lastDay: 'Last day',
  until: (when: string) => `Deleted for good: ${when}`,
  restore: 'Restore',
  restoreTask: (id: string) => `Restore ${id}`,
  guestReason: 'Guests can restore only tasks that they created.',
  open: 'Open',
  more: 'Show more',
  empty: 'The trash is empty.',
})
