import type { recordChangeMessages } from '../../app/record-changes.ts'
import { plural } from '../../plural.ts'

export const germanRecordChanges: typeof recordChangeMessages = {
  messages: 'Meldungen',
  withSubtasks: (done, n) =>
    `${done}, mit ${plural(n, { one: '# Unteraufgabe', other: '# Unteraufgaben' })}`,
  undone: (what) => `Rückgängig gemacht: ${what}`,
  undo: 'Rückgängig machen',
  unknownChange:
    'Es wurde nichts rückgängig gemacht. Falls die Änderung ankam, steht sie unter „Letzte Änderungen“.',
  leftAsIs: (count, names, why) => {
    const what = names || plural(count, { one: '# Eintrag', other: '# Einträge' })
    return why
      ? `Nicht rückgängig gemacht: ${what}. ${why}`
      : `Inzwischen geändert und so belassen: ${what}.`
  },
  created: (title) => `Neue Aufgabe „${title}“`,
  createdMany: (count) => plural(count, { one: '# neue Aufgabe', other: '# neue Aufgaben' }),
  comment: 'Kommentar',
  commentChange: 'Änderung eines Kommentars',
  commentEdited: 'Kommentar geändert',
  commentAdded: 'Kommentar hinzugefügt',
  commentDeleted: 'Kommentar gelöscht',
  commentRestored: 'Kommentar wiederhergestellt',
  commentRestoration: 'Wiederherstellung des Kommentars',
  timeEntry: 'Zeiteintrag',
  timeEntryChange: 'Änderung eines Zeiteintrags',
  timeEntryEdited: 'Zeiteintrag geändert',
  entryDeleted: 'Zeiteintrag gelöscht',
  tagDeleted: (name) => `Schlagwort ${name} gelöscht`,
  upload: (name) => `Upload von „${name}“`,
  attachmentDeleted: (name) => `„${name}“ gelöscht`,
  tooLarge: (name, size, most) =>
    `„${name}“ ist ${size} groß. Dateien dürfen bis zu ${most} groß sein.`,
  emptyFile: (name) => `„${name}“ ist leer.`,
  pastedFile: 'eingefügte Datei',
}
