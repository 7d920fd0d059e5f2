import type { m } from '../my.ts'

export const my: typeof m = {
  title: 'Meine Arbeit',
  tabs: { mine: 'Zugewiesen', created: 'Erstellt', blocked: 'Blockiert', done: 'Erledigt' },
  sections: {
    overdue: 'Überfällig',
    today: 'Heute',
    soon: 'Nächste 7 Tage',
    later: 'Später',
    none: 'Ohne Datum',
  },
  toggle: (status, id) => `${status}. ${id} erledigen oder wieder öffnen`,
  completed: (id) => `${id} erledigt`,
  reopened: (id) => `${id} wieder geöffnet`,
  blocked: 'Von einer anderen Aufgabe blockiert',
  load: 'Was von den Schätzungen übrig ist, nach Fälligkeit',
  empty: {
    mine: 'Ihnen ist nichts zugewiesen.',
    created: 'Sie haben keine offene Aufgabe erstellt.',
    blocked: 'Nichts von Ihnen ist blockiert.',
    done: 'In den letzten 30 Tagen haben Sie nichts erledigt.',
  },
  emptyAction: 'Aufgabe finden',
  more: 'Mehr zeigen',
  views: 'Ansichten',
  select: (id) => `${id} auswählen`,
}
