import { defineMessages } from '../define-messages.ts'
import { plural } from '../plural.ts'

/** Toasts and error messages about mutations. */
export const mutationMessages = defineMessages('data', {
  changed: (id: string) => `Change to ${id}`,
  created: (title: string) => `New task “${title}”`,
  createdMany: (count: number) => plural(count, { one: '# new task', other: '# new tasks' }),
  restored: (id: string) => `Restored ${id}`,
  conflict: (id: string) =>
    `Someone else also changed ${id}. Open it to choose which version to keep.`,
  notDone: (what: string, why: string) => `${what} failed: ${why}`,
  goneMeanwhile: 'it was deleted, or you no longer have access to it.',
  newerVersion: 'A newer version of Docket is available. Reload the page to open this screen.',
  comment: 'Comment',
  commentChange: 'Comment edit',
  commentDeleted: 'Comment deleted',
  timeEntry: 'Time entry',
  timeEntryChange: 'Time entry edit',
  entryDeleted: 'Time entry deleted',
  newTag: (name: string) => `Create tag “${name}”`,
  tagDeleted: (name: string) => `Tag ${name} deleted`,
  upload: (name: string) => `Upload of “${name}”`,
  attachmentDeleted: (name: string) => `“${name}” deleted`,
  pastedFile: 'pasted file',
  timerStarted: (id: string) => `Timer started on ${id}`,
  timerMoved: (id: string, other: string, time: string) =>
    `Timer started on ${id}. The timer on ${other} was stopped after ${time}`,
  timerStopped: (id: string, time: string) => `Timer on ${id} stopped after ${time}`,
})
