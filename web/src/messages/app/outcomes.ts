import { defineMessages } from '../define-messages.ts'

/** What became of mutations, in words that no page needs before it sends one. */
export const outcomeMessages = defineMessages('outcomes', {
  refused: (id: string, why: string) => `${id} was not changed: ${why}`,
  deleted: 'it was deleted.',
  projectGone: 'its project was deleted, or you no longer have access to it.',
  movedOutOfSight: 'it was moved to a project that you cannot see, or deleted for good.',
  notCreated: (title: string, why: string) => `“${title}” was not created: ${why}`,
  changedMeanwhile: 'Someone changed it in the meantime. Sending it again replaces their version.',
  deletion: 'Deletion',
  timer: 'Timer',
  timerEdited: (id: string) =>
    `Timer on ${id}: the time was edited in the meantime, so its end was not changed`,
  timerLogged: (id: string, other: string) =>
    `Your newer timer on ${other} keeps running. The time on ${id} was logged`,
})
