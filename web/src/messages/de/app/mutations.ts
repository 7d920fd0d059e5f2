import type { mutationMessages } from '../../app/mutations.ts'
import { plural } from '../../plural.ts'

export const germanData: typeof mutationMessages = {
  changed: (id) => `Änderung an ${id}`,
  created: (title) => `Neue Aufgabe „${title}“`,
  createdMany: (count) => plural(count, { one: '# neue Aufgabe', other: '# neue Aufgaben' }),
  restored: (id) => `${id} wiederhergestellt`,
  conflict: (id) =>
    `Jemand anderes hat ${id} ebenfalls geändert. Öffnen Sie die Aufgabe und wählen Sie eine Version.`,
  notDone: (what, why) => `${what} ist fehlgeschlagen: ${why}`,
  goneMeanwhile: 'gelöscht, oder Sie haben keinen Zugriff mehr.',
  newerVersion:
    'Eine neue Version von Docket ist verfügbar. Laden Sie die Seite neu, um diese Ansicht zu öffnen.',
  comment: 'Kommentar',
  commentChange: 'Änderung eines Kommentars',
  commentDeleted: 'Kommentar gelöscht',
  timeEntry: 'Zeiteintrag',
  timeEntryChange: 'Änderung eines Zeiteintrags',
  entryDeleted: 'Zeiteintrag gelöscht',
  newTag: (name) => `Tag „${name}“ erstellen`,
  tagDeleted: (name) => `Tag ${name} gelöscht`,
  upload: (name) => `Upload von „${name}“`,
  attachmentDeleted: (name) => `„${name}“ gelöscht`,
  pastedFile: 'eingefügte Datei',
  timerStarted: (id) => `Timer für ${id} gestartet`,
  timerMoved: (id, other, time) =>
    `Timer für ${id} gestartet. Der Timer für ${other} wurde nach ${time} gestoppt`,
  timerStopped: (id, time) => `Timer für ${id} nach ${time} gestoppt`,
}
