import { say } from './say.ts'

/** The short tour for who is here for the first time. */
export const m = say('tour', {
  name: 'Tour',
  place: (step: number, of: number) => `${step} of ${of}`,
  steps: {
    number: {
      title: 'Every task has a number',
      text: 'Say it, type it, link it: a number such as DOC-42 leads to its task from the search, from a comment and as an address.',
    },
    find: {
      title: 'One key finds and does everything',
      text: (keys: string) => `${keys} takes a number, words, or what you want to do.`,
    },
    write: {
      title: 'A task is one line',
      text: 'C begins it in any project: “Call Mei tomorrow !high #phone” has a day, a priority and a tag.',
    },
    undo: {
      title: 'Nothing is lost',
      text: (keys: string) =>
        `A change is there at once and can be undone with ${keys}. Drafts stay, and what is deleted lies in the bin.`,
    },
    begin: {
      title: 'The rest is at hand',
      text: 'The question mark shows the keys of each screen. This tour is in the menu of your account.',
    },
  },
  next: 'Next',
  skip: 'Skip',
  done: 'Done',
  toChecklist: 'To the first steps',
})
