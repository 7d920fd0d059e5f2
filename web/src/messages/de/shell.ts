import { number, plural } from '../plural.ts'
import type { m } from '../shell.ts'

const UNSAVED = {
  one: '# Änderung ist nicht gespeichert',
  other: '# Änderungen sind nicht gespeichert',
}
const UNSENT = {
  one: '# Änderung hat den Server noch nicht erreicht. Beim Abmelden jetzt geht sie verloren.',
  other:
    '# Änderungen haben den Server noch nicht erreicht. Beim Abmelden jetzt gehen sie verloren.',
}

export const shell: typeof m = {
  pageTrouble: 'Diese Seite lässt sich nicht anzeigen',
  unknownTrouble: 'In der App ist etwas fehlgeschlagen.',
  tryAgain: 'Erneut versuchen',
  missing: 'An dieser Adresse ist nichts',
  toMyWork: 'Zu meiner Arbeit',
  skip: 'Zum Inhalt springen',
  main: 'Hauptmenü',
  mainNarrow: 'Hauptmenü, schmal',
  find: 'Finden oder tun',
  findKeys: 'Strg K',
  menuShort: 'Menü',
  newShort: 'Neu',
  account: (name) => `Konto von ${name}`,
  profile: 'Profil und Geräte',
  shortcuts: 'Tastenkürzel',
  tour: 'Rundgang',
  told: 'Meldungen dieser Seite',
  dark: 'Dunkles Design',
  light: 'Helles Design',
  signOut: 'Abmelden',
  goWork: 'Zu meiner Arbeit',
  goProjects: 'Zu den Projekten',
  goSettings: 'Zu den Einstellungen',
  palette: 'Finden oder tun',
  everywhere: 'Überall',
  switchTyped: 'Wechseln zu ',
  close: 'Schließen',
  singleKeys: 'Einzelne Buchstaben tun etwas (beim Diktieren abschalten)',
  myWork: 'Meine Arbeit',
  overdue: 'Überfällig',
  projects: 'Projekte',
  allProjects: 'Alle Projekte',
  settings: 'Einstellungen',
  newTask: 'Neue Aufgabe',
  switchWorkspace: 'Workspace wechseln',
  switchFrom: (name) => `${name}. Workspace wechseln`,
  offline: (count) =>
    count === 0
      ? 'Kein Netz'
      : plural(count, {
          one: 'Kein Netz. # Änderung wird gesendet, sobald es wieder da ist',
          other: 'Kein Netz. # Änderungen werden gesendet, sobald es wieder da ist',
        }),
  unsaved: 'Nicht gespeichert',
  retry: 'Erneut senden',
  discard: 'Verwerfen',
  limited: (seconds) =>
    `Der Workspace hat seine Anfragen für diese Minute verbraucht. Weiter in ${seconds} s`,
  limitedTold:
    'Der Workspace hat seine Anfragen für diese Minute verbraucht. Es geht von selbst weiter.',
  elsewhere: (name) =>
    `Ein anderer Tab ist zu ${name} gewechselt. Dieser liest und schreibt nicht, bis Sie zurückwechseln`,
  switchBack: 'Zurückwechseln',
  someoneElse: (name) =>
    `In einem anderen Tab hat sich ${name} angemeldet. Dieser liest und schreibt nicht mehr`,
  loadAnew: 'Seite neu laden',
  retryAll: 'Alle erneut senden',
  manyUnsaved: (count) => plural(count, UNSAVED),
  unsentTitle: 'Trotzdem abmelden?',
  unsentText: (count) => plural(count, UNSENT),
  signOutAnyway: 'Abmelden und verlieren',
  newVersion: 'Es gibt eine neue Version von Docket',
  reload: 'Neu laden',
  goInbox: 'Zum Eingang',
  goReports: 'Zu den Berichten',
  inbox: 'Eingang',
  unread: (count) => plural(count, { one: '# ungelesen', other: '# ungelesen' }),
  reports: 'Berichte',
  views: 'Angeheftete Ansichten',
  unanswered: 'Docket antwortet nicht',
  readSince: (when) => `. Das Gezeigte ist von ${when}`,
  changing: (done, all) => `${number(done)} von ${number(all)} geändert`,
  stop: 'Anhalten',
  deletedWorkspace: 'gelöscht',
}
