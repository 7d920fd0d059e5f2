import type { myWorkMessages } from '../../tasks/my-work.ts'

export const germanMy: typeof myWorkMessages = {
  title: 'Meine Arbeit',
  tabs: { mine: 'Heute', created: 'Von mir erstellt', blocked: 'Blockiert', done: 'Erledigt' },
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
  toToday: 'Alle auf heute verschieben',
  movedToToday: (what) => `${what} auf heute verschoben`,
  todayLoad: (time, overdue) =>
    overdue ? `noch ${time}, davon ${overdue} überfällig` : `noch ${time}`,
  todayLoadHint: 'Verbleibende Schätzungen der heutigen und überfälligen Aufgaben',
  placed: (id, place, count) => `${id}, Position ${place} von ${count}`,
  emptyToday:
    'Heute ist nichts fällig. Ziehen Sie Aufgaben hierher, um den Tag zu planen, oder setzen Sie ihr Fälligkeitsdatum.',
  load: 'Verbleibende Schätzungen nach Fälligkeit',
  empty: {
    mine: 'Ihnen sind keine Aufgaben zugewiesen.',
    created: 'Sie haben keine offenen Aufgaben erstellt.',
    blocked: 'Keine Ihrer Aufgaben ist blockiert.',
    done: 'In den letzten 30 Tagen haben Sie keine Aufgaben erledigt.',
  },
  noProject: 'Aufgaben gehören zu einem Projekt. Legen Sie eines an, um zu beginnen.',
  invite: 'Personen einladen',
  emptyAction: 'Aufgaben suchen',
  more: 'Mehr anzeigen',
  toFirst: 'Erste Aufgabe',
  toLast: 'Letzte Aufgabe',
  views: 'Ansicht',
  select: (id) => `${id} auswählen`,
  selectEvery: 'Alle in dieser Ansicht auswählen',
  severalProjects:
    'Status und Schlagwörter gehören zu einem Projekt. Wählen Sie nur Aufgaben eines Projekts aus.',
}
