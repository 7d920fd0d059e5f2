import { formatNumber, plural } from '../../plural.ts'
import type { bulkChangeMessages } from '../../tasks/bulk-changes.ts'

export const germanBulkChanges: typeof bulkChangeMessages = {
  stopped: (done, all) => `Angehalten: ${formatNumber(done)} von ${formatNumber(all)} bearbeitet`,
  notSent: 'Die Änderung konnte nicht gesendet werden.',
  notFound: 'Die Aufgabe wurde nicht gefunden.',
  changedMeanwhile: 'Jemand anderes hat das inzwischen geändert.',
  refused: (count) =>
    plural(count, {
      one: '# Aufgabe wurde nicht geändert',
      other: '# Aufgaben wurden nicht geändert',
    }),
  why: 'Warum?',
  selected: (n) => plural(n, { one: '# ausgewählt', other: '# ausgewählt' }),
  selectAll: (n) => `Alle ${formatNumber(n)} in dieser Ansicht auswählen`,
  bulkBar: 'Ausgewählte Aufgaben',
  move: 'Verschieben',
  clear: 'Auswahl aufheben',
}
