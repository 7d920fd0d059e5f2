import { plural } from '../../plural.ts'
import type { emptyListMessages } from '../../tasks/empty-list.ts'

export const germanEmptyList: typeof emptyListMessages = {
  none: 'Noch keine Aufgaben. Erstellen Sie eine, oder drücken Sie C.',
  noneLeft: 'Keine Aufgaben passen zu diesem Filter.',
  mostLeftOut: (chip, n) =>
    `Ohne „${chip}“ ${plural(n, { one: 'passt # Aufgabe', other: 'passen # Aufgaben' })}.`,
  takeOff: (chip) => `„${chip}“ entfernen`,
  missing: (prefix) => `Projekt ${prefix} nicht gefunden.`,
  missingWhy: 'Es existiert nicht, oder Sie haben keinen Zugriff darauf.',
  toProjects: 'Alle Projekte',
}
