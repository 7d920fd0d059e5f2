import type { m } from '../consent.ts'

export const consent: typeof m = {
  asks: (name) => `${name} möchte für Sie handeln`,
  app: 'Anwendung',
  from: 'Als Herkunft nennt sie ',
  homeless: 'Sie nennt keine Adresse im Web.',
  workspace: 'In',
  noWorkspace:
    'Sie ist für keinen Ihrer Workspaces offen, es gibt also nichts zu erlauben. Wer sie registriert hat, kann sie für andere öffnen.',
  may: 'In Ihrem Namen darf sie',
  grave: 'Sie darf auch, was sich nicht zurücknehmen lässt',
  never: 'Sie kann nie',
  nevers: {
    password: 'Ihr Passwort sehen oder sich als Sie anmelden',
    elsewhere: (workspace) => `außerhalb von ${workspace} etwas sehen oder tun`,
    rights: 'mehr tun, als Ihre Rolle und Ihre Projekte Ihnen erlauben',
    settings: 'Projekte, Mitglieder oder Einstellungen ändern',
    delete: 'etwas löschen',
  },
  resources: {
    projects: 'Projekte',
    tasks: 'Aufgaben',
    // Parted where the gutter of a phone is too narrow for it.
    comments: 'Kommen\u00adtare',
    time_entries: 'Zeit',
    tags: 'Tags',
    attachments: 'Dateien',
    members: 'Mitglieder',
    webhooks: 'Webhooks',
    events: 'Ereignisse',
  },
  deny: 'Ablehnen',
  allow: 'Erlauben',
  end: 'Was Sie erlauben, lässt sich jederzeit in den Einstellungen unter API-Zugang beenden.',
  next: 'danach',
  goesTo: 'geht Ihr Browser zu ',
  goesHere: 'geht Ihr Browser zurück zu einem Programm auf diesem Rechner, unter ',
  goesToApp: 'öffnet Ihr Browser die Anwendung ',
  youAre: 'Sie sind',
  switch: 'Wechseln',
  switchHint: 'Abmelden und als jemand anderes antworten',
  loading: 'Eine Anwendung fragt an',

  allowed: (name) => `${name} ist erlaubt`,
  denied: (name) => `${name} ist abgelehnt`,
  goBack: (name) =>
    `Ihr Browser wurde zu ${name} zurückgeschickt. Falls sich nichts geöffnet hat, gehen Sie selbst dorthin zurück.`,
  ended: 'Diese Anfrage ist beendet',
  endedWhy:
    'Sie wurde beantwortet, hat zu lange gedauert oder begann in einem anderen Browser. Gehen Sie zur Anwendung zurück und beginnen Sie neu.',
  trouble: 'Die Anfrage lässt sich nicht anzeigen',
  again: 'Erneut versuchen',
  toWork: 'Zu meiner Arbeit',
}
