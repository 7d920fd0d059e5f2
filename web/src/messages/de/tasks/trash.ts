import { plural } from '../../plural.ts'
import type { trashMessages } from '../../tasks/trash.ts'

export const germanTrash: typeof trashMessages = {
  title: 'Papierkorb',
  tasks: 'Gelöschte Aufgaben',
  comments: 'Gelöschte Kommentare',
  projects: 'Archivierte Projekte',
  tasksKeptFor: (days) =>
    plural(days, {
      one: 'Mit Unteraufgaben, Kommentaren und Dateien # Tag lang aufbewahrt, dann endgültig gelöscht',
      other:
        'Mit Unteraufgaben, Kommentaren und Dateien # Tage lang aufbewahrt, dann endgültig gelöscht',
    }),
  keptFor: (days) =>
    plural(days, {
      one: '# Tag lang aufbewahrt, dann endgültig gelöscht',
      other: '# Tage lang aufbewahrt, dann endgültig gelöscht',
    }),
  keptForever: 'Aufbewahrt, bis Sie sie wiederherstellen',
  deleted: (who, when, left) => `${who}, ${when} · ${left}`,
  withSubtasks: (n) => plural(n, { one: 'Mit # Unteraufgabe', other: 'Mit # Unteraufgaben' }),
  archived: (when) => `Archiviert ${when}`,
  someone: 'Jemand',
  daysLeft: (n) => plural(n, { one: 'noch # Tag', other: 'noch # Tage' }),
  lastDay: 'Letzter Tag',
  until: (when) => `Endgültig gelöscht: ${when}`,
  restore: 'Wiederherstellen',
  restoreTask: (id) => `${id} wiederherstellen`,
  restoreComment: (id) => `Kommentar zu ${id} wiederherstellen`,
  restoreProject: (name) => `${name} wiederherstellen`,
  restoredProject: (name) => `${name} wiederhergestellt`,
  guestReason: 'Gäste können nur Aufgaben wiederherstellen, die sie selbst erstellt haben.',
  open: 'Öffnen',
  more: 'Mehr anzeigen',
  empty: 'Der Papierkorb ist leer.',
}
