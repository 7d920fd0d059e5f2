import type { mutationMessages } from '../../app/mutations.ts'
import { plural } from '../../plural.ts'

export const germanData: typeof mutationMessages = {
  changed: (id) => `Änderung an ${id}`,
  subtasksOpen: (done, n) =>
    `${done}. ${plural(n, { one: '# Unteraufgabe ist noch offen', other: '# Unteraufgaben sind noch offen' })}.`,
  restored: (id) => `${id} wiederhergestellt`,
  merged: (id) =>
    `Jemand anderes hat andere Zeilen der Beschreibung von ${id} geändert. Beide Änderungen wurden übernommen.`,
  mergedComment:
    'Der Kommentar wurde anderswo in anderen Zeilen geändert. Beide Änderungen wurden übernommen.',
  doneNext: (day) => `Erledigt. Nächstes Mal: ${day}`,
  open: 'Öffnen',
  notDone: (what, why) => `${what} ist fehlgeschlagen: ${why}`,
  goneMeanwhile: 'gelöscht, oder Sie haben keinen Zugriff mehr.',
  newerVersion:
    'Eine neue Version von Docket ist verfügbar. Laden Sie die Seite neu, um diese Ansicht zu öffnen.',
  newTag: (name) => `Schlagwort „${name}“ erstellen`,
  timerStarted: (id) => `Timer für ${id} gestartet`,
  timerMoved: (id, other, time) =>
    `Timer für ${id} gestartet. Der Timer für ${other} wurde nach ${time} gestoppt`,
  timerStopped: (id, time) => `Timer für ${id} nach ${time} gestoppt`,
}
