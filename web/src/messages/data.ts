import { number } from './plural.ts'
import { say } from './say.ts'

/** What is told of writes. */
export const m = say('data', {
  changed: (id: string) => `Change of ${id}`,
  created: (title: string) => `New task “${title}”`,
  restored: (id: string) => `Restored ${id}`,
  refused: (id: string, why: string) => `${id} was not changed: ${why}`,
  notCreated: (title: string, why: string) => `“${title}” was not created: ${why}`,
  conflict: (id: string) => `Somebody else changed ${id}, too. Open it to choose between the two.`,
  notDone: (what: string, why: string) => `${what} was refused: ${why}`,
  undone: (what: string) => `Undone: ${what}`,
  stopped: (done: number, all: number) =>
    `Stopped: ${number(done)} of ${number(all)} were gone through`,
  notSent: 'It could not be sent.',
  changedMeanwhile: 'Somebody else changed the same meanwhile.',
  goneMeanwhile: 'it was deleted meanwhile, or moved out of your sight.',
  newerVersion:
    'The server has a newer version of Docket: this screen is not in the one that is open.',
  comment: 'Comment',
  commentChange: 'Change of a comment',
  commentDeleted: 'Comment deleted',
  entryDeleted: 'Time entry deleted',
  tagDeleted: (name: string) => `Deleted the tag ${name}`,
  attachmentDeleted: (name: string) => `“${name}” deleted`,
  pastedFile: 'pasted file',
  timerStarted: (id: string) => `Timer started on ${id}`,
  timerMoved: (id: string, other: string, time: string) =>
    `Timer started on ${id}. The one on ${other} was stopped after ${time}`,
  timerStopped: (id: string, time: string) => `Timer on ${id} stopped after ${time}`,
})
