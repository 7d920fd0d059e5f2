import { defineMessages } from '../define-messages.ts'

/** Texts of the editor for Markdown and of what it shows. */
export const markdownMessages = defineMessages('markdown', {
  taskBox: 'Done',
  notes: 'Notes',
  backToText: 'Back to the text',
  unknownPerson: 'a former member',
  draftRestored: 'Draft restored.',
  dropDraft: 'Discard draft',
  draftDropped: 'Draft discarded',
  preview: 'Preview',
  emptyPreview: 'Nothing to preview',
  formatting: 'Formatting',
  bold: 'Bold',
  italic: 'Italic',
  code: 'Code',
  link: 'Link',
  quote: 'Quote',
  bullets: 'Bulleted list',
  boxes: 'Checklist',
  heading: 'Heading',
  attach: 'Attach files',
  uploading: (name: string) => `[Uploading ${name} …]()`,
  uploadFailed: 'A file was not uploaded. Submit again to continue without it.',
  save: 'Save',
  people: 'People',
})
