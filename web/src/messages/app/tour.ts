import { defineMessages } from '../define-messages.ts'

/** Texts of the tour for new users. */
export const tourMessages = defineMessages('tour', {
  name: 'Tour',
  place: (step: number, of: number) => `${step} of ${of}`,
  steps: {
    number: {
      title: 'Every task has an ID',
      text: 'Use an ID such as DOC-42 in the search, in a comment or as a link to go straight to its task.',
    },
    find: {
      title: 'Find anything with one shortcut',
      text: (keys: string) =>
        `Press ${keys} to search tasks, projects and people, or to run any command.`,
    },
    write: {
      title: 'Create a task in one line',
      text: 'Press C anywhere and type “Call Mei tomorrow !high #phone” to set the due date, priority and tag.',
    },
    undo: {
      title: 'Undo anything',
      text: (keys: string) =>
        `Changes apply at once, and ${keys} undoes them. Drafts are kept, and deleted tasks stay in the trash.`,
    },
    begin: {
      title: 'Learn the shortcuts',
      text: 'Press ? to see the shortcuts of each screen. You can take this tour again from your account menu.',
    },
  },
  /** What is said instead where there is no keyboard. */
  touchSteps: {
    find: {
      title: 'Find anything',
      text: 'Search finds tasks, projects and people, and runs any command.',
    },
    write: {
      title: 'Create a task in one line',
      text: 'Tap New and type “Call Mei tomorrow !high #phone” to set the due date, priority and tag.',
    },
    undo: {
      title: 'Undo anything',
      text: 'Changes apply at once, and Undo takes them back. Drafts are kept, and deleted tasks stay in the trash.',
    },
    begin: {
      title: 'Swipe a task',
      text: 'Swipe right to complete a task, left to change its due date. You can take this tour again from the menu.',
    },
  },
  next: 'Next',
  skip: 'Skip',
  done: 'Done',
  toChecklist: 'Open the checklist',
})
