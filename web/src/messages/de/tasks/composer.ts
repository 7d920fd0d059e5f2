import type { composerMessages } from '../../tasks/composer.ts'

export const germanComposer: typeof composerMessages = {
  title: 'Titel',
  titleHint: 'Bank anrufen Freitag 9 Uhr 30min !hoch @Name #Schlagwort',
  project: 'Projekt',
  description: 'Beschreibung',
  file: 'Datei',
  attachedLater: 'Wird beim Erstellen der Aufgabe angehängt.',
  create: 'Erstellen',
  needsTitle: 'Geben Sie zuerst einen Titel ein.',
  longDescription: 'Eine Beschreibung hat höchstens 65.536 Zeichen.',
  discard: 'Verwerfen',
  created: (id) => `${id} erstellt`,
  saving: (title) => `„${title}“ wird gespeichert …`,
  open: 'Öffnen',
  noProject: 'Es gibt kein aktives Projekt für eine neue Aufgabe.',
}
