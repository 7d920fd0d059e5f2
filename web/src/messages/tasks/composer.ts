import { defineMessages } from '../define-messages.ts'

/** Texts of the dialog for a new task, which is loaded when it is opened. */
export const composerMessages = defineMessages('composer', {
  title: 'Title',
  titleHint: 'Call the bank friday 9am 30min !high @name #tag',
  project: 'Project',
  description: 'Description',
  file: 'file',
  attachedLater: 'Attached when the task is created.',
  create: 'Create',
  needsTitle: 'Enter a title first.',
  longDescription: 'A description has at most 65,536 characters.',
  discard: 'Discard',
  created: (id: string) => `${id} created`,
  saving: (title: string) => `Saving “${title}” …`,
  open: 'Open',
  noProject: 'There is no active project for a new task.',
})
