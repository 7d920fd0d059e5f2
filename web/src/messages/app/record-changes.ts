import { defineMessages } from '../define-messages.ts'
import { plural } from '../plural.ts'

/** What changes of records are called that a list does not make before its first rows, and their undo. */
export const recordChangeMessages = defineMessages('recordChanges', {
  messages: 'Messages',
  withSubtasks: (done: string, n: number) =>
    `${done}, with ${plural(n, { one: '# subtask', other: '# subtasks' })}`,
  undone: (what: string) => `Undone: ${what}`,
  undo: 'Undo',
  unknownChange: 'Undo did nothing. If the change was made, it is under Recent changes.',
  /** `why`, if it was not changed since. */
  leftAsIs: (count: number, names: string, why?: string) => {
    const what = names || plural(count, { one: '# record', other: '# records' })
    return why ? `Not undone: ${what}. ${why}` : `Changed since, and left as it is: ${what}.`
  },
  created: (title: string) => `New task “${title}”`,
  createdMany: (count: number) => plural(count, { one: '# new task', other: '# new tasks' }),
  comment: 'Comment',
  commentChange: 'Comment edit',
  commentEdited: 'Comment edited',
  commentAdded: 'Comment added',
  commentDeleted: 'Comment deleted',
  commentRestored: 'Comment restored',
  commentRestoration: 'Restoring the comment',
  timeEntry: 'Time entry',
  timeEntryChange: 'Time entry edit',
  timeEntryEdited: 'Time entry edited',
  entryDeleted: 'Time entry deleted',
  tagDeleted: (name: string) => `Tag ${name} deleted`,
  upload: (name: string) => `Upload of “${name}”`,
  attachmentDeleted: (name: string) => `“${name}” deleted`,
  tooLarge: (name: string, size: string, most: string) =>
    `“${name}” is ${size}. Files can be up to ${most}.`,
  emptyFile: (name: string) => `“${name}” is empty.`,
  pastedFile: 'pasted file',
})
