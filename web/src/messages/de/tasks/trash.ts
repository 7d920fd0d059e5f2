import { plural } from '../../plural.ts'
import type { trashMessages } from '../../tasks/trash.ts'

export const germanTrash: typeof trashMessages = {
  title: 'Papierkorb',
  list: 'Gelöschte Aufgaben',
  about:
    'Gelöschte Aufgaben behalten ihre Unteraufgaben, Kommentare und Dateien, bis ihre Tage vorbei sind. Projekte werden nie gelöscht, nur archiviert.',
  deleted: (who, when, left) => `${who}, ${when} · ${left}`,
  somebody: 'Jemand',
  daysLeft: (n) => plural(n, { one: 'noch # Tag', other: 'noch # Tage' }),
  lastDay: 'Letzter Tag',
  until: (when) => `Endgültig gelöscht: ${when}`,
  restore: 'Wiederherstellen',
  restoreTask: (id) => `${id} wiederherstellen`,
  guestReason: 'Gäste können nur Aufgaben wiederherstellen, die sie selbst erstellt haben.',
  open: 'Öffnen',
  more: 'Mehr anzeigen',
  empty: 'Der Papierkorb ist leer.',
}
