import type { m } from '../accounts.ts'

export const accounts: typeof m = {
  docket: 'Docket',
  signIn: 'Anmelden',
  againWhy: 'Die Anwendung bittet um eine neue Anmeldung, bevor Sie ihr antworten.',
  email: 'E-Mail',
  password: 'Passwort',
  newPassword: 'Passwort',
  passwordHint: 'Mindestens 10 Zeichen; ein Satz ist gut.',
  name: 'Name',
  workspaceName: 'Workspace',
  timezone: 'Zeitzone',
  forgotLink: 'Passwort vergessen?',
  createLink: 'Konto anlegen',
  wrong: 'E-Mail oder Passwort ist falsch.',
  throttled: (at) => `Zu viele Versuche. Wieder möglich um ${at}.`,
  footAbout: 'Was ist Docket?',
  footDocs: 'API-Dokumentation',

  ended: 'Die Sitzung ist beendet',
  endedWhy:
    'Nach der Anmeldung geht es weiter. Was Sie geschrieben haben, ist noch da; was wartet, wird dann gesendet.',
  somebodyElse: 'Als jemand anderes anmelden',

  signUp: 'Konto anlegen',
  firstOwner: 'Docket einrichten',
  firstOwnerWhy:
    'Diese Installation gehört noch niemandem. Dem Konto, das hier entsteht, gehört ihr Workspace.',
  signUpDo: 'Konto anlegen',
  closed: 'Konten gibt es auf Einladung',
  closedWhy: 'Bitten Sie eine Person aus Inhaber- oder Adminkreis des Workspace um eine Einladung.',
  haveAccount: 'Stattdessen anmelden',

  setup: 'Eigene Anmeldung festlegen',
  setupWhy:
    'Sie sind mit den Zugangsdaten angemeldet, die beim ersten Start ausgegeben wurden. Ersetzen Sie diese durch eigene; die ausgegebenen gelten dann nicht mehr.',
  demo: 'Demo',
  demoKeep: 'Demo-Workspace zum Umsehen behalten',
  demoRemove: 'Demo entfernen und leer beginnen',
  setupDo: 'Speichern und beginnen',
  setupOver: 'Das ist bereits eingerichtet',
  setupOverWhy: 'Name, E-Mail und Passwort lassen sich im Profil ändern.',
  toWork: 'Zu meiner Arbeit',

  forgot: 'Passwort vergessen?',
  forgotWhy:
    'Ein Link zum Setzen eines neuen Passworts geht an die Adresse. Er gilt einmal, 30 Minuten lang.',
  forgotDo: 'Link senden',
  sent: 'Sehen Sie in Ihr Postfach',
  sentWhy: (email) =>
    `Falls es ein Konto für ${email} gibt, ist ein Link unterwegs. Er gilt einmal, 30 Minuten lang.`,
  noMail:
    'Keine Mail angekommen? Wer diese Installation betreibt, kann mit docket user reset-password ein neues Passwort ausgeben lassen.',
  backToSignIn: 'Zurück zur Anmeldung',

  reset: 'Neues Passwort setzen',
  resetWhy: 'Danach sind Sie hier angemeldet; alle anderen Sitzungen enden.',
  resetDo: 'Passwort setzen',
  expired: 'Dieser Link gilt nicht mehr',
  resetExpiredWhy: 'Er wurde benutzt, oder seine 30 Minuten sind um.',
  anotherLink: 'Neuen Link senden',

  inviteTitle: (workspace) => `${workspace} beitreten`,
  inviteWho: (who, role, email) => `${who} lädt ${email} als ${role} ein.`,
  roles: { owner: 'Inhaber', admin: 'Admin', member: 'Mitglied', guest: 'Gast' },
  inviteNew: 'Wählen Sie Name und Passwort für Ihr Konto.',
  inviteKnown: 'Zu dieser Adresse gibt es ein Konto. Sein Passwort öffnet es.',
  inviteHere: (name) => `Sie sind angemeldet als ${name}.`,
  inviteDo: 'Beitreten',
  inviteExpiredWhy:
    'Er wurde benutzt, zurückgezogen oder ersetzt, oder seine sieben Tage sind um. Bitten Sie um einen neuen.',
  wrongAccount: 'Ein anderes Konto ist angemeldet',
  wrongAccountWhy: (here, invited) =>
    `In diesem Browser ist ${here} angemeldet; die Einladung gilt für ${invited}.`,
  switchAccount: (invited) => `Weiter als ${invited}`,
  stayAs: (here) => `Angemeldet bleiben als ${here}`,
  wrongPassword: 'Das ist nicht das Passwort des Kontos.',
  deletedTitle: (name) => `${name} ist gelöscht`,
  deletedWhy: (at) =>
    `Er wird am ${at} mit allem darin getilgt. Bis dahin kann ein Inhaber ihn wiederherstellen, wie er war.`,
  restore: 'Workspace wiederherstellen',
  goTo: (name) => `Zu ${name}`,
  signOutHere: 'Abmelden',

  noWorkspace: 'Sie sind in keinem Workspace',
  noWorkspaceBegin:
    'Beginnen Sie einen eigenen, oder bitten Sie Inhaber oder Admins eines anderen um eine Einladung.',
  beginWorkspace: 'Workspace beginnen',
}
