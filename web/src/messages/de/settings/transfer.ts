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
  priorities: 'Prioritäten',
  priorityNames: {
    ...{ urgent: 'Dringend', high: 'Hoch', medium: 'Mittel', low: 'Niedrig', none: 'Keine' },
  },
  dateOrder: 'Datumsangaben',
  dateOrders: { day_first: 'Tag zuerst: 31/12', month_first: 'Monat zuerst: 12/31' },
  dateOrderHint: (n: number, example: string) =>
    `${plural(n, { one: '# Datum lässt', other: '# Daten lassen' })} sich auf zwei Arten lesen, etwa ${example}.`,
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
  warnings: 'Zeilen mit Änderungen',
  warningsHint:
    'Diese Zeilen werden zu Aufgaben. Was in kein Feld passt, steht in der Beschreibung.',
  download: 'Als CSV herunterladen',
  start: (n: number) =>
    plural(n, { one: '# Aufgabe importieren', other: '# Aufgaben importieren' }),
  nothing: 'Keine Zeile lässt sich importieren.',
  notTakenOver: (list: string) => `Nicht importiert: ${list}.`,
  omissions: {
    attachments: ['Anhang (als Link)', 'Anhänge (als Links)'],
    comments: ['Kommentar (nicht in der Datei)', 'Kommentare (nicht in der Datei)'],
    covers: ['Titelbild', 'Titelbilder'],
    stickers: ['Sticker', 'Sticker'],
    votes: ['Stimme', 'Stimmen'],
    reactions: ['Reaktion', 'Reaktionen'],
    reminders: ['Erinnerung', 'Erinnerungen'],
    time_entries: ['Zeiteintrag', 'Zeiteinträge'],
    pull_requests: ['Pull-Request', 'Pull-Requests'],
    project_comments: ['Projektkommentar', 'Projektkommentare'],
    saved_filters: ['Filter', 'Filter'],
    power_up_values: ['Power-Up-Wert', 'Power-Up-Werte'],
    views: ['Ansicht', 'Ansichten'],
    templates: ['Vorlage', 'Vorlagen'],
    webhooks: ['Webhook', 'Webhooks'],
    applications: ['Anwendung', 'Anwendungen'],
    activity: ['Aktivität', 'Aktivitäten'],
    deleted_tasks: ['gelöschte Aufgabe', 'gelöschte Aufgaben'],
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
