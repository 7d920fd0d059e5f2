import { formatNumber, plural } from '../../plural.ts'
import type { transferMessages } from '../../settings/transfer.ts'

export const germanTransfer: typeof transferMessages = {
  export: 'Export',
  exportWhy:
    'Laden Sie den ganzen Workspace als Datei herunter: Projekte, Aufgaben, Kommentare, Anhänge und Personen, ohne Passwörter und Schlüssel. Mit docket import stellen Sie ihn auf jeder Installation wieder her.',
  exportOwners: 'Nur Inhaber können den Workspace exportieren.',
  exportMake: 'Export erstellen',
  exporting: (what: string) => (what === '' ? 'Wird exportiert …' : `Wird exportiert: ${what}`),
  exportDownload: (name: string) => `${name} herunterladen`,
  exportUntil: 'bis',
  exportExpired:
    'Der letzte Export ist abgelaufen. Exporte lassen sich 24 Stunden lang herunterladen.',
  import: 'Import',
  importWhy:
    'Importieren Sie Aufgaben aus Docket, Trello, Linear, Jira, Todoist, GitHub, Vikunja oder einer CSV-Datei. Sie sehen eine Vorschau, bevor etwas erstellt wird.',
  choose: 'Datei wählen',
  file: 'Datei',
  sending: (part: string) => `Wird hochgeladen, ${part}`,
  reading: (n: number) =>
    `Wird gelesen, bisher ${plural(n, { one: '# Zeile', other: '# Zeilen' })}`,
  found: (good: number, bad: number) =>
    `${plural(good, { one: '# Aufgabe', other: '# Aufgaben' })} bereit zum Import, ${plural(bad, { one: '# Zeile', other: '# Zeilen' })} übersprungen.`,
  columns: 'Spalten',
  noColumn: 'Nicht importieren',
  fields: {
    title: 'Titel',
    description: 'Beschreibung',
    status: 'Status',
    priority: 'Priorität',
    assignees: 'Zuständige',
    tags: 'Tags',
    project: 'Projekt',
    start_date: 'Startdatum',
    due_date: 'Fällig',
    estimate: 'Schätzung',
    parent: 'Übergeordnete Aufgabe',
    blocked_by: 'Blockiert von',
    id: 'ID',
    completed: 'Erledigt',
  },
  projects: 'Projekte',
  newProject: 'Neues Projekt',
  allTasks: 'Alle Aufgaben',
  statuses: 'Status',
  categories: {
    backlog: 'Backlog',
    unstarted: 'Offen',
    started: 'In Arbeit',
    completed: 'Erledigt',
    canceled: 'Abgebrochen',
  },
  people: 'Personen',
  nobody: 'Kein Mitglied',
  peopleHint: 'Personen ohne Mitglied werden in der Beschreibung ihrer Aufgaben genannt.',
  kind: 'Format',
  kinds: {
    csv: 'CSV',
    trello: 'Trello (JSON)',
    linear: 'Linear (CSV)',
    jira: 'Jira (CSV)',
    todoist: 'Todoist (CSV, ZIP)',
    github: 'GitHub (JSON)',
    vikunja: 'Vikunja (ZIP)',
    docket: 'Docket (Archiv)',
  },
  latin1: 'Die Datei ist in Windows-1252 (Latin-1) kodiert',
  sample: 'Vorschau',
  sampleColumns: ['Zeile', 'Titel', 'Status', 'Fällig', 'Zuständige', 'Tags'],
  faults: 'Übersprungene Zeilen',
  faultColumns: ['Zeile', 'Titel', 'Grund'],
  download: 'Als CSV herunterladen',
  start: (n: number) =>
    plural(n, { one: '# Aufgabe importieren', other: '# Aufgaben importieren' }),
  nothing: 'Keine Zeile lässt sich importieren.',
  notTakenOver: (list: string) => `Nicht importiert: ${list}.`,
  omissions: {
    attachments: (n: number) =>
      plural(n, { one: '# Anhang (als Link)', other: '# Anhänge (als Links)' }),
    comments: (n: number) =>
      plural(n, {
        one: '# Kommentar, der nicht in der Datei ist',
        other: '# Kommentare, die nicht in der Datei sind',
      }),
    covers: (n: number) => plural(n, { one: '# Titelbild', other: '# Titelbilder' }),
    stickers: (n: number) => plural(n, { one: '# Sticker', other: '# Sticker' }),
    votes: (n: number) => plural(n, { one: '# Stimme', other: '# Stimmen' }),
    reactions: (n: number) => plural(n, { one: '# Reaktion', other: '# Reaktionen' }),
    reminders: (n: number) => plural(n, { one: '# Erinnerung', other: '# Erinnerungen' }),
    time_entries: (n: number) => plural(n, { one: '# Zeiteintrag', other: '# Zeiteinträge' }),
    pull_requests: (n: number) => plural(n, { one: '# Pull-Request', other: '# Pull-Requests' }),
    project_comments: (n: number) =>
      plural(n, { one: '# Kommentar zu einem Projekt', other: '# Kommentare zu Projekten' }),
    saved_filters: (n: number) =>
      plural(n, { one: '# gespeicherter Filter', other: '# gespeicherte Filter' }),
    power_up_values: (n: number) =>
      plural(n, { one: '# Wert von Power-Ups', other: '# Werte von Power-Ups' }),
    views: (n: number) => plural(n, { one: '# Ansicht', other: '# Ansichten' }),
    templates: (n: number) => plural(n, { one: '# Vorlage', other: '# Vorlagen' }),
    webhooks: (n: number) => plural(n, { one: '# Webhook', other: '# Webhooks' }),
    applications: (n: number) => plural(n, { one: '# Anwendung', other: '# Anwendungen' }),
    activity: (n: number) =>
      plural(n, { one: '# Eintrag der Aktivität', other: '# Einträge der Aktivität' }),
    deleted_tasks: (n: number) =>
      plural(n, { one: '# gelöschte Aufgabe', other: '# gelöschte Aufgaben' }),
  },
  pause: 'Anhalten',
  resume: 'Fortsetzen',
  cancel: 'Abbrechen',
  running: (done: number, all: number) =>
    `Wird importiert, ${formatNumber(done)} von ${formatNumber(all)} Zeilen`,
  paused: (done: number, all: number) =>
    `Angehalten bei ${formatNumber(done)} von ${formatNumber(all)} Zeilen`,
  undoing: (left: number) =>
    `Wird rückgängig gemacht, noch ${plural(left, { one: '# Aufgabe', other: '# Aufgaben' })}`,
  done: (n: number, bad: number) =>
    `${plural(n, { one: '# Aufgabe', other: '# Aufgaben' })} importiert, ${plural(bad, { one: '# Zeile', other: '# Zeilen' })} übersprungen.`,
  canceled: (n: number) =>
    `Abgebrochen. ${plural(n, { one: '# Aufgabe wurde', other: '# Aufgaben wurden' })} importiert.`,
  undone: 'Import rückgängig gemacht. Die importierten Aufgaben sind im Papierkorb.',
  failed:
    'Die Datei konnte nicht importiert werden. Prüfen Sie das Format und versuchen Sie es erneut.',
  undo: 'Import rückgängig machen',
}
