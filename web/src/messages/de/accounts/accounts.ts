import type { accountMessages } from '../../accounts/accounts.ts'

export const germanAccounts: typeof accountMessages = {
  docket: 'Docket',
  signIn: 'Anmelden',
  againWhy: 'Melden Sie sich erneut an, um diese Anfrage zu beantworten.',
  email: 'E-Mail',
  password: 'Passwort',
  newPassword: 'Passwort',
  passwordHint: 'Mindestens 10 Zeichen. Ein ganzer Satz eignet sich gut.',
  name: 'Name',
  workspaceName: 'Name des Workspace',
  timezone: 'Zeitzone',
  forgotLink: 'Passwort vergessen?',
  createLink: 'Konto erstellen',
  wrong: 'E-Mail oder Passwort ist falsch.',
  throttled: (at) => `Zu viele Versuche. Versuchen Sie es um ${at} erneut.`,
  footAbout: 'Was ist Docket?',
  footDocs: 'API-Dokumentation',

  ended: 'Ihre Sitzung ist abgelaufen',
  endedWhy:
    'Melden Sie sich an, um fortzufahren. Ihre Eingaben sind noch da, und nicht gesendete Änderungen werden danach gesendet.',
  somebodyElse: 'Mit anderem Konto anmelden',

  signUp: 'Konto erstellen',
  firstOwner: 'Docket einrichten',
  firstOwnerWhy:
    'Diese Installation hat noch keinen Inhaber. Dem Konto, das Sie hier erstellen, gehört der erste Workspace.',
  setupToken: 'Einrichtungscode',
  setupTokenHint:
    'Wurde beim ersten Start von Docket ausgegeben. Der Befehl docket setup-token gibt ihn erneut aus.',
  signUpDo: 'Konto erstellen',
  closed: 'Registrierung nur mit Einladung',
  closedWhy: 'Bitten Sie einen Inhaber oder Admin des Workspace um eine Einladung.',
  haveAccount: 'Stattdessen anmelden',

  setup: 'Konto einrichten',
  setupWhy:
    'Sie haben sich mit den Zugangsdaten angemeldet, die beim ersten Start ausgegeben wurden. Wählen Sie eigene; die ausgegebenen gelten danach nicht mehr.',
  demo: 'Demo-Workspace',
  demoKeep: 'Zum Ausprobieren behalten',
  demoRemove: 'Löschen und leer beginnen',
  setupDo: 'Speichern und weiter',
  setupOver: 'Dieses Konto ist bereits eingerichtet',
  setupOverWhy: 'Name, E-Mail und Passwort können Sie im Profil ändern.',
  toWork: 'Zu „Meine Arbeit“',

  forgot: 'Passwort vergessen?',
  forgotWhy:
    'Geben Sie Ihre E-Mail-Adresse ein. Sie erhalten einen Link für ein neues Passwort; er gilt einmal und 30 Minuten lang.',
  forgotDo: 'Link senden',
  sent: 'Prüfen Sie Ihr Postfach',
  sentWhy: (email) =>
    `Falls es ein Konto für ${email} gibt, erhalten Sie in Kürze einen Link. Er gilt einmal und 30 Minuten lang.`,
  noMail:
    'Keine E-Mail erhalten? Wer diese Installation betreibt, kann mit docket user reset-password ein neues Passwort für Sie erstellen.',
  backToSignIn: 'Zurück zur Anmeldung',

  reset: 'Neues Passwort festlegen',
  resetWhy: 'Danach sind Sie hier angemeldet und überall sonst abgemeldet.',
  resetDo: 'Passwort festlegen',
  revokeAccess: 'Auch jeden anderen Zugang zu meinem Konto beenden',
  revokeAccessWhy:
    'API-Schlüssel, autorisierte Anwendungen, Passkeys und Single Sign-on. Wählen Sie das, wenn jemand anderes Zugang gehabt haben könnte.',
  expired: 'Dieser Link ist abgelaufen',
  confirmEmail: 'E-Mail-Adresse bestätigen',
  confirmEmailWhy: 'Bestätigen Sie nur, was Sie selbst in Docket eingegeben haben.',
  emailConfirmed: 'E-Mail-Adresse bestätigt',
  confirmExpiredWhy:
    'Links gelten einmal, sieben Tage lang und nur in dem Konto, das sie angefordert hat.',
  resetExpiredWhy: 'Links gelten einmal und 30 Minuten lang.',
  anotherLink: 'Neuen Link senden',

  inviteTitle: (workspace) => `${workspace} beitreten`,
  inviteWho: (who, role, email) => `${who} hat ${email} als ${role} eingeladen.`,
  inviteNew:
    'Geben Sie das Passwort Ihres Kontos mit dieser E-Mail-Adresse ein. Haben Sie noch keines, wählen Sie einen Namen und ein Passwort.',
  inviteNameHint: 'Nur für ein neues Konto.',
  invitePasswordHint: 'Für ein neues Konto mindestens 10 Zeichen.',
  inviteHere: (name) => `Sie sind als ${name} angemeldet.`,
  inviteDo: 'Beitreten',
  inviteExpiredWhy:
    'Er wurde benutzt, widerrufen oder ersetzt, oder er ist älter als sieben Tage. Bitten Sie um einen neuen.',
  wrongAccount: 'Sie sind mit einem anderen Konto angemeldet',
  wrongAccountWhy: (here, invited) =>
    `Sie sind als ${here} angemeldet, die Einladung gilt aber für ${invited}.`,
  switchAccount: (invited) => `Weiter als ${invited}`,
  stayAs: (here) => `Als ${here} angemeldet bleiben`,
  wrongPassword: 'Das Passwort ist falsch.',
  deletedTitle: (name) => `${name} wurde gelöscht`,
  deletedWhy: (at) =>
    `Der Workspace wird am ${at} mit allen Inhalten endgültig gelöscht. Bis dahin kann ein Inhaber ihn wiederherstellen.`,
  restore: 'Workspace wiederherstellen',
  goTo: (name) => `Zu ${name}`,
  signOutHere: 'Abmelden',

  noWorkspace: 'Sie sind in keinem Workspace',
  noWorkspaceBegin:
    'Erstellen Sie einen, oder bitten Sie einen Inhaber oder Admin um eine Einladung.',
  beginWorkspace: 'Workspace erstellen',
  newWorkspace: 'Neuer Workspace',
  newWorkspaceWhy: 'Er hat eigene Personen und Projekte. Er gehört Ihnen.',
}
