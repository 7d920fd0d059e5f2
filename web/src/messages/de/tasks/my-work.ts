import type { myWorkMessages } from '../../tasks/my-work.ts'

export const germanMy: typeof myWorkMessages = {
  tabs: { mine: 'Woche', created: 'Von mir erstellt', blocked: 'Blockiert', done: 'Erledigt' },
  toToday: 'Alle auf heute verschieben',
  movedToToday: (what) => `${what} auf heute verschoben`,
  dayLoad: (left, hours) => `noch ${left} von ${hours}`,
  hoursPerDay: 'Stunden pro Tag',
  empty: {
    mine: 'Ihnen sind keine Aufgaben zugewiesen.',
    created: 'Sie haben keine offenen Aufgaben erstellt.',
    blocked: 'Keine Ihrer Aufgaben ist blockiert.',
    done: 'In den letzten 30 Tagen haben Sie keine Aufgaben erledigt.',
  },
  noProject: 'Aufgaben gehören zu einem Projekt. Legen Sie eines an, um zu beginnen.',
  invite: 'Personen einladen',
}
