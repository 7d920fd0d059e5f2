import type { m } from '../data.ts'
import { number } from '../plural.ts'

export const data: typeof m = {
  changed: (id) => `Änderung an ${id}`,
  created: (title) => `Neue Aufgabe „${title}“`,
  restored: (id) => `${id} wiederhergestellt`,
  refused: (id, why) => `${id} wurde nicht geändert: ${why}`,
  notCreated: (title, why) => `„${title}“ wurde nicht erstellt: ${why}`,
  conflict: (id) =>
    `Jemand anderes hat ${id} auch geändert. Öffnen Sie die Aufgabe und wählen Sie.`,
  notDone: (what, why) => `${what} wurde abgelehnt: ${why}`,
  undone: (what) => `Rückgängig gemacht: ${what}`,
  notSent: 'Es konnte nicht gesendet werden.',
  changedMeanwhile: 'Jemand anderes hat inzwischen dasselbe geändert.',
  goneMeanwhile: 'inzwischen gelöscht oder für Sie nicht mehr sichtbar.',
  newerVersion:
    'Auf dem Server läuft eine neuere Version von Docket: Diese Ansicht fehlt in der geöffneten.',
  comment: 'Kommentar',
  commentChange: 'Änderung eines Kommentars',
  commentDeleted: 'Kommentar gelöscht',
  entryDeleted: 'Zeiteintrag gelöscht',
  tagDeleted: (name) => `Tag ${name} gelöscht`,
  attachmentDeleted: (name) => `„${name}“ gelöscht`,
  pastedFile: 'eingefügte Datei',
  timerStarted: (id) => `Timer auf ${id} gestartet`,
  timerMoved: (id, other, time) =>
    `Timer auf ${id} gestartet. Der auf ${other} wurde nach ${time} gestoppt`,
  timerStopped: (id, time) => `Timer auf ${id} nach ${time} gestoppt`,
  stopped: (done, all) => `Angehalten: ${number(done)} von ${number(all)} durchgegangen`,
}
