import { defineMessages } from '../define-messages.ts'
import { plural } from '../plural.ts'

/** Toasts and error messages about mutations. */
export const mutationMessages = defineMessages('data', {
  changed: (id: string) => `Change to ${id}`,
  subtasksOpen: (done: string, n: number) =>
    `${done}. ${plural(n, { one: '# subtask is still open', other: '# subtasks are still open' })}.`,
  restored: (id: string) => `Restored ${id}`,
  merged: (id: string) =>
    `Someone else changed other lines of the description of ${id}. Both changes were kept.`,
  mergedComment: 'The comment was changed elsewhere, in other lines. Both changes were kept.',
  doneNext: (day: string) => `Done. Next: ${day}`,
  open: 'Open',
  notDone: (what: string, why: string) => `${what} failed: ${why}`,
  goneMeanwhile: 'it was deleted, or you no longer have access to it.',
  newerVersion: 'A newer version of Docket is available. Reload the page to open this screen.',
  newTag: (name: string) => `Create tag “${name}”`,
  timerStarted: (id: string) => `Timer started on ${id}`,
  timerMoved: (id: string, other: string, time: string) =>
    `Timer started on ${id}. The timer on ${other} was stopped after ${time}`,
  timerStopped: (id: string, time: string) => `Timer on ${id} stopped after ${time}`,
})
