import type { shellMessages } from '../../app/shell.ts'
import { formatNumber, plural } from '../../plural.ts'

const UNSAVED = {
  one: '# nicht gespeicherte Änderung',
  other: '# nicht gespeicherte Änderungen',
}
const UNSENT = {
  one: '# Änderung wurde noch nicht gesendet. Sie geht verloren, wenn Sie sich jetzt abmelden.',
  other:
    '# Änderungen wurden noch nicht gesendet. Sie gehen verloren, wenn Sie sich jetzt abmelden.',
}

export const germanShell: typeof shellMessages = {
  pageTrouble: 'Diese Seite konnte nicht geladen werden',
  unknownTrouble: 'Ein Fehler ist aufgetreten.',
  tryAgain: 'Erneut versuchen',
  missing: 'Seite nicht gefunden',
  toMyWork: 'Zu „Meine Arbeit“',
  skip: 'Zum Inhalt springen',
  main: 'Hauptmenü',
  mainNarrow: 'Hauptmenü (kompakt)',
  find: 'Suchen',
  menuShort: 'Menü',
  newShort: 'Neu',
  account: (name) => `Konto von ${name}`,
  profile: 'Profil und Geräte',
  shortcuts: 'Tastenkürzel',
  tour: 'Rundgang starten',
  messageHistory: 'Meldungsverlauf',
  dark: 'Dunkles Design',
  light: 'Helles Design',
  signOut: 'Abmelden',
  goWork: 'Zu „Meine Arbeit“',
  goProjects: 'Zu den Projekten',
  goSettings: 'Zu den Einstellungen',
  palette: 'Suchen oder Befehl ausführen',
  everywhere: 'Überall',
  switchTyped: 'Wechseln zu ',
  close: 'Schließen',
  singleKeys: 'Tastenkürzel mit einer Taste (beim Diktieren ausschalten)',
  myWork: 'Meine Arbeit',
  overdue: 'Überfällig',
  projects: 'Projekte',
  allProjects: 'Alle Projekte',
  settings: 'Einstellungen',
  newTask: 'Neue Aufgabe',
  newTaskIn: (project) => `Neue Aufgabe in ${project}`,
  switchWorkspace: 'Workspace wechseln',
  switchFrom: (name) => `${name}. Workspace wechseln`,
  offline: (count) =>
    count === 0
      ? 'Sie sind offline'
      : plural(count, {
          one: 'Sie sind offline. # Änderung wird gesendet, sobald Sie wieder verbunden sind',
          other: 'Sie sind offline. # Änderungen werden gesendet, sobald Sie wieder verbunden sind',
        }),
  unsaved: 'Nicht gespeichert',
  retry: 'Erneut senden',
  discard: 'Verwerfen',
  copyText: 'Text kopieren',
  notStored:
    'Dieser Browser kann ungesendete Änderungen nicht speichern. Lassen Sie diese Seite offen, bis sie gespeichert sind',
  rateLimited: (seconds) => `Das Anfragelimit dieser Minute ist erreicht. Weiter in ${seconds} s`,
  rateLimitedNotice: 'Das Anfragelimit dieser Minute ist erreicht. Docket macht von selbst weiter.',
  anotherWorkspace: 'einem anderen Arbeitsbereich',
  otherWorkspace: (name) =>
    `Sie haben in einem anderen Tab zu ${name} gewechselt. Dieser Tab ist angehalten, bis Sie zurückwechseln`,
  switchBack: 'Zurückwechseln',
  otherPerson: (name) =>
    `${name} hat sich in einem anderen Tab angemeldet. Dieser Tab ist angehalten`,
  loadAnew: 'Seite neu laden',
  retryAll: 'Alle erneut senden',
  manyUnsaved: (count) => plural(count, UNSAVED),
  unsentTitle: 'Trotzdem abmelden?',
  unsentText: (count) => plural(count, UNSENT),
  signOutAnyway: 'Abmelden und Änderungen verwerfen',
  newVersion: 'Eine neue Version von Docket ist verfügbar',
  reload: 'Neu laden',
  goInbox: 'Zum Eingang',
  goReports: 'Zu den Berichten',
  inbox: 'Eingang',
  unread: (count) => plural(count, { one: '# ungelesen', other: '# ungelesen' }),
  reports: 'Berichte',
  views: 'Angeheftete Ansichten',
  unanswered: 'Docket antwortet nicht',
  readSince: (when) => `. Stand der Daten: ${when}`,
  changing: (done, all) => `${formatNumber(done)} von ${formatNumber(all)} geändert`,
  stop: 'Anhalten',
  deletedWorkspace: 'gelöscht',
  roles: { owner: 'Inhaber', admin: 'Admin', member: 'Mitglied', guest: 'Gast' },
}
