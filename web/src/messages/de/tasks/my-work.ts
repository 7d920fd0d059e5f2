import type { myWorkMessages } from '../../tasks/my-work.ts'

export const germanMy: typeof myWorkMessages = {
  title: 'Meine Arbeit',
  tabs: { mine: 'Zugewiesen', created: 'Erstellt', blocked: 'Blockiert', done: 'Erledigt' },
  sections: {
    overdue: 'Überfällig',
    today: 'Heute',
    soon: 'Nächste 7 Tage',
    later: 'Später',
    none: 'Ohne Fälligkeit',
  },
  toggle: (status, id) => `${status}. ${id} erledigen oder wieder öffnen`,
  completed: (id) => `${id} erledigt`,
  reopened: (id) => `${id} wieder geöffnet`,
  load: 'Verbleibende Schätzungen nach Fälligkeit',
  empty: {
    mine: 'Ihnen sind keine Aufgaben zugewiesen.',
    created: 'Sie haben keine offenen Aufgaben erstellt.',
    blocked: 'Keine Ihrer Aufgaben ist blockiert.',
    done: 'In den letzten 30 Tagen haben Sie keine Aufgaben erledigt.',
  },
  emptyAction: 'Aufgaben suchen',
  more: 'Mehr anzeigen',
  views: 'Ansicht',
  select: (id) => `${id} auswählen`,
  selectEvery: 'Alle in dieser Ansicht auswählen',
  severalProjects:
    'Status und Tags gehören zu einem Projekt. Wählen Sie nur Aufgaben eines Projekts aus.',
}
