import type { recordChangeMessages } from '../../app/record-changes.ts'
import { plural } from '../../plural.ts'

export const germanRecordChanges: typeof recordChangeMessages = {
  created: (title) => `Neue Aufgabe „${title}“`,
  createdMany: (count) => plural(count, { one: '# neue Aufgabe', other: '# neue Aufgaben' }),
  comment: 'Kommentar',
  commentChange: 'Änderung eines Kommentars',
  commentDeleted: 'Kommentar gelöscht',
  timeEntry: 'Zeiteintrag',
  timeEntryChange: 'Änderung eines Zeiteintrags',
  entryDeleted: 'Zeiteintrag gelöscht',
  tagDeleted: (name) => `Tag ${name} gelöscht`,
  upload: (name) => `Upload von „${name}“`,
  attachmentDeleted: (name) => `„${name}“ gelöscht`,
  pastedFile: 'eingefügte Datei',
}
