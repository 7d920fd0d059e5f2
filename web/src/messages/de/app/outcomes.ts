import type { outcomeMessages } from '../../app/outcomes.ts'

export const germanOutcomes: typeof outcomeMessages = {
  refused: (id, why) => `${id} wurde nicht geändert: ${why}`,
  deleted: 'Die Aufgabe wurde gelöscht.',
  projectGone: 'Das Projekt wurde gelöscht, oder Sie haben keinen Zugriff mehr.',
  movedOutOfSight:
    'Die Aufgabe wurde in ein Projekt verschoben, das Sie nicht sehen, oder endgültig gelöscht.',
  notCreated: (title, why) => `„${title}“ wurde nicht erstellt: ${why}`,
  changedMeanwhile:
    'Jemand hat es inzwischen geändert. Erneutes Senden ersetzt die andere Fassung.',
  deletion: 'Löschung',
  timer: 'Timer',
  timerEdited: (id) =>
    `Timer für ${id}: Die Zeit wurde inzwischen bearbeitet, ihr Ende blieb daher unverändert`,
  timerLogged: (id, other) =>
    `Ihr neuerer Timer für ${other} läuft weiter. Die Zeit für ${id} wurde erfasst`,
}
