import type { consentMessages } from '../../accounts/consent.ts'

export const germanConsent: typeof consentMessages = {
  asks: (name) => `${name} möchte auf Ihr Konto zugreifen`,
  app: 'Anwendung',
  from: 'Website (nicht überprüft): ',
  noHomepage: 'Die Anwendung nennt keine Website.',
  workspace: 'Workspace',
  noWorkspace:
    'Diese Anwendung ist in keinem Ihrer Workspaces verfügbar. Wer sie entwickelt, kann sie für alle Workspaces freigeben.',
  may: 'Diese Anwendung darf in Ihrem Namen',
  grave: 'Sie darf auch endgültige Änderungen vornehmen',
  never: 'Sie darf nicht',
  nevers: {
    password: 'Ihr Passwort sehen oder sich als Sie anmelden',
    elsewhere: (workspace) => `außerhalb von ${workspace} etwas sehen oder ändern`,
    rights: 'mehr tun, als Ihre Rolle und Ihre Projekte erlauben',
    settings: 'Projekte, Mitglieder oder Einstellungen ändern',
    delete: 'etwas löschen',
  },
  resources: {
    projects: 'Projekte',
    tasks: 'Aufgaben',
    // A soft hyphen, because the column is too narrow for the word on a phone.
    comments: 'Kommen\u00adtare',
    time_entries: 'Zeiteinträge',
    tags: 'Schlagwörter',
    attachments: 'Anhänge',
    members: 'Mitglieder',
    webhooks: 'Webhooks',
    events: 'Ereignisse',
  },
  deny: 'Ablehnen',
  allow: 'Erlauben',
  end: 'Sie können den Zugriff jederzeit unter Einstellungen → Integrationen widerrufen.',
  next: 'danach',
  goesTo: 'geht Ihr Browser zu ',
  goesHere: 'kehrt Ihr Browser zu einem Programm auf diesem Computer zurück, unter ',
  goesToApp: 'öffnet Ihr Browser die App ',
  youAre: 'Konto',
  switch: 'Konto wechseln',
  switchHint: 'Abmelden und mit anderem Konto fortfahren',
  loading: 'Zugriffsanfrage',

  allowed: (name) => `Sie haben ${name} den Zugriff erlaubt`,
  denied: (name) => `Sie haben ${name} den Zugriff verweigert`,
  goBack: (name) =>
    `Ihr Browser wurde zu ${name} zurückgeleitet. Falls sich nichts geöffnet hat, kehren Sie selbst dorthin zurück.`,
  ended: 'Diese Anfrage ist abgelaufen',
  endedWhy:
    'Sie wurde bereits beantwortet, hat zu lange gedauert oder begann in einem anderen Browser. Kehren Sie zur Anwendung zurück und beginnen Sie neu.',
  trouble: 'Die Anfrage konnte nicht geladen werden',
  again: 'Erneut versuchen',
  toWork: 'Zu „Meine Arbeit“',
}
