import { plural } from '../../plural.ts'
import type { inboxMessages } from '../../tasks/inbox.ts'

export const germanInbox: typeof inboxMessages = {
  title: 'Eingang',
  views: 'Filter',
  tabs: {
    all: 'Alle',
    mentioned: 'Erwähnungen',
    assigned: 'Zugewiesen',
    snoozed: 'Zurückgestellt',
    done: 'Erledigt',
  },
  empty: 'Sie sind auf dem neuesten Stand.',
  list: 'Benachrichtigungen',
  more: 'Mehr anzeigen',
  unread: (count) => plural(count, { one: '# ungelesen', other: '# ungelesen' }),
  next: 'Nächste Benachrichtigung',
  previous: 'Vorherige Benachrichtigung',
  doneKey: 'Als erledigt markieren',
  unreadKey: 'Als gelesen oder ungelesen markieren',
  snoozeKey: 'Zurückstellen',
  allDone: 'Alle abhaken',
  done: (name) => `Als erledigt markieren: ${name}`,
  reopen: (name) => `In den Eingang verschieben: ${name}`,
  read: (name) => `Als gelesen markieren: ${name}`,
  unreadOf: (name) => `Als ungelesen markieren: ${name}`,
  snooze: (name) => `Zurückstellen: ${name}`,
  markedDone: (count) =>
    plural(count, {
      one: '# Benachrichtigung als erledigt markiert',
      other: '# Benachrichtigungen als erledigt markiert',
    }),
  movedBack: (count) =>
    plural(count, {
      one: '# Benachrichtigung in den Eingang verschoben',
      other: '# Benachrichtigungen in den Eingang verschoben',
    }),
  snoozed: (when) => `Zurückgestellt bis ${when}`,
  inHours: 'In 3 Stunden',
  tomorrow: 'Morgen früh',
  nextWeek: 'Nächsten Montag',
  someone: 'Jemand',
  program: 'Ein Programm',
  request: (who, n) =>
    n === 0
      ? `Anfrage von ${who}`
      : plural(n, { one: `# Änderung von ${who}`, other: `# Änderungen von ${who}` }),
  kinds: {
    mentioned: (who) => `Erwähnt von ${who}`,
    assigned: (who) => `Zugewiesen von ${who}`,
    commented: (who) => `Kommentar von ${who}`,
    due: { today: 'Heute fällig', overdue: 'Überfällig' },
    webhook: {
      disabled: 'Webhook von Docket deaktiviert',
      failing: 'Webhook schlägt seit einer Stunde fehl',
    },
    approval: 'Wartet auf Ihre Zustimmung',
  },
  others: (count) => plural(count, { one: 'und # weitere', other: 'und # weitere' }),
  watch: 'Beobachten',
  watching: {
    chosen: 'Sie beobachten diese Aufgabe. Nicht mehr beobachten',
    created: 'Sie beobachten diese Aufgabe, weil Sie sie erstellt haben. Nicht mehr beobachten',
    assigned: 'Sie beobachten diese Aufgabe, weil sie Ihnen zugewiesen ist. Nicht mehr beobachten',
  },
  settings: 'Benachrichtigungen',
  settingsWhy: 'Für diesen Workspace. Über eigene Änderungen werden Sie nicht benachrichtigt.',
  settingsKinds: {
    mentioned: 'Jemand erwähnt Sie',
    assigned: 'Eine Aufgabe wird Ihnen zugewiesen',
    commented: 'Jemand kommentiert eine beobachtete Aufgabe',
    due: 'Eine Ihrer Aufgaben ist fällig oder überfällig',
    webhook: 'Ein Webhook schlägt fehl oder wird deaktiviert',
    approval: 'Ein Programm bittet um Ihre Zustimmung',
  },
  about: 'Ereignis',
  inbox: 'Eingang',
  mail: 'E-Mail',
  mails: { soon: 'Innerhalb von Minuten', daily: 'Täglich', never: 'Nie' },
  hour: 'Uhrzeit der täglichen E-Mail',
  hourHint: 'In Ihrer Zeitzone.',
  noMail: 'Auf dieser Installation ist kein E-Mail-Versand eingerichtet.',
}
