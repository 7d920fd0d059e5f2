import type { m } from '../inbox.ts'
import { plural } from '../plural.ts'

export const inbox: typeof m = {
  title: 'Eingang',
  views: 'Was zu sehen ist',
  tabs: {
    all: 'Alle',
    mentioned: 'Erwähnungen',
    assigned: 'Zugewiesen',
    snoozed: 'Später',
    done: 'Erledigt',
  },
  empty: 'Hier wartet nichts.',
  list: 'Benachrichtigungen',
  more: 'Mehr zeigen',
  unread: (count) => plural(count, { one: '# ungelesen', other: '# ungelesen' }),
  next: 'Nächste',
  previous: 'Vorherige',
  doneKey: 'Erledigt',
  unreadKey: 'Gelesen oder ungelesen',
  snoozeKey: 'Später',
  allDone: 'Alles erledigt',
  done: (name) => `Erledigt: ${name}`,
  reopen: (name) => `Zurück in den Eingang: ${name}`,
  read: (name) => `Als gelesen markieren: ${name}`,
  unreadOf: (name) => `Als ungelesen markieren: ${name}`,
  snooze: (name) => `Später: ${name}`,
  toldDone: (count) =>
    plural(count, {
      one: '# Benachrichtigung ist erledigt',
      other: '# Benachrichtigungen sind erledigt',
    }),
  toldBack: (count) =>
    plural(count, {
      one: '# Benachrichtigung ist wieder da',
      other: '# Benachrichtigungen sind wieder da',
    }),
  toldLater: (when) => `Kommt wieder: ${when}`,
  inHours: 'In drei Stunden',
  tomorrow: 'Morgen früh',
  nextWeek: 'Nächsten Montag',
  someone: 'Jemand',
  kinds: {
    mentioned: (who) => `Erwähnt von ${who}`,
    assigned: (who) => `Zugewiesen von ${who}`,
    commented: (who) => `Kommentar von ${who}`,
    due: { today: 'Heute fällig', overdue: 'Überfällig' },
    webhook: {
      disabled: 'Docket hat diesen Webhook abgeschaltet',
      failing: 'Dieser Webhook schlägt seit einer Stunde fehl',
    },
  },
  others: (count) => plural(count, { one: 'und # weitere', other: 'und # weitere' }),
  watch: 'Beobachten',
  watching: {
    chosen: 'Diese Aufgabe wird beobachtet. Nichts mehr davon hören',
    created: 'Selbst angelegt und darum beobachtet. Nichts mehr davon hören',
    assigned: 'Zugewiesen und darum beobachtet. Nichts mehr davon hören',
  },
  settings: 'Benachrichtigungen',
  settingsWhy:
    'In diesem Arbeitsbereich. Eigenes Tun wird nie gemeldet, und nichts, was nicht zu sehen ist.',
  settingsKinds: {
    mentioned: 'Jemand erwähnt Sie',
    assigned: 'Eine Aufgabe wird Ihnen zugewiesen',
    commented: 'Ein Kommentar zu einer beobachteten Aufgabe',
    due: 'Eine eigene Aufgabe ist fällig oder überfällig',
    webhook: 'Ein Webhook schlägt fehl oder wird abgeschaltet',
  },
  about: 'Wann',
  inbox: 'Im Eingang',
  mail: 'Per E-Mail',
  mails: { soon: 'Innert Minuten', daily: 'Einmal am Tag', never: 'Nie' },
  hour: 'Tägliche E-Mail um',
  hourHint: 'In Ihrer Zeitzone.',
  noMail: 'Dieses Docket verschickt keine E-Mails: Es ist kein Mailserver eingerichtet.',
}
