import type { composerMessages } from '../../tasks/composer.ts'

export const germanComposer: typeof composerMessages = {
  title: 'Titel',
  titleHint: 'Bank anrufen Freitag 9 Uhr 30min !hoch @Name #Tag',
  project: 'Projekt',
  description: 'Beschreibung',
  file: 'Datei',
  attachedLater: 'Wird beim Erstellen der Aufgabe angehängt.',
  create: 'Erstellen',
  createAndClose: 'Erstellen und schließen',
  needsTitle: 'Geben Sie zuerst einen Titel ein.',
  discard: 'Verwerfen',
  suggestions: 'Personen und Tags',
  addAndAssign: (person, project) => `${person} zu ${project} hinzufügen und zuweisen`,
  added: (person, project) => `${person} zu ${project} hinzugefügt`,
  createTag: (name) => `Neues Tag „${name}“`,
  created: (id) => `${id} erstellt`,
  saving: (title) => `„${title}“ wird gespeichert …`,
  open: 'Öffnen',
  noProject: 'Es gibt kein aktives Projekt für eine neue Aufgabe.',
}
