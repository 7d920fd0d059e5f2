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
  exportUntil: 'läuft ab',
  exportExpired:
    'Der letzte Export ist abgelaufen. Exporte lassen sich 24 Stunden lang herunterladen.',
  why: 'Holen Sie Aufgaben aus einem anderen Werkzeug, oder nehmen Sie alles mit.',
  import: 'Import',
  importWhy:
    'Exporte aus Trello, Linear, Jira, Todoist, GitHub, Vikunja und Docket oder eine beliebige Tabelle. Sie sehen eine Vorschau, bevor etwas erstellt wird.',
  steps: {
    file: 'Datei',
    format: 'Was sie ist',
    questions: 'Fragen',
    preview: 'Vorschau',
  },
  drop: 'Datei hier ablegen',
  choose: 'Datei wählen',
  paste: 'Zeilen einfügen',
  rows: 'Zeilen',
  rowsHint: 'Kopieren Sie sie aus einer Tabelle, oder schreiben Sie eine Aufgabe je Zeile.',
  rowsMissing: 'Noch keine Zeilen',
  useRows: 'Zeilen verwenden',
  pastedName: 'Eingefügte Zeilen.csv',
  sending: (part: string) => `Wird hochgeladen, ${part}`,
  reading: (n: number) =>
    `Wird gelesen, bisher ${plural(n, { one: '# Zeile', other: '# Zeilen' })}`,
  contents: (name: string, rows: number, columns: number) =>
    columns === 0
      ? `${name}: ${plural(rows, { one: '# Aufgabe', other: '# Aufgaben' })}`
      : `${name}: ${plural(rows, { one: '# Zeile', other: '# Zeilen' })}, ${plural(columns, { one: '# Spalte', other: '# Spalten' })}`,
  found: (good: number, bad: number, warned: number) =>
    [
      `${plural(good, { one: '# Aufgabe', other: '# Aufgaben' })} bereit zum Import.`,
      bad > 0 &&
        `${plural(bad, { one: '# leere Zeile wird', other: '# leere Zeilen werden' })} übersprungen.`,
      warned > 0 &&
        `${plural(warned, { one: '# Zeile hat', other: '# Zeilen haben' })} eine Warnung.`,
    ]
      .filter(Boolean)
      .join(' '),
  columns: 'Spalten',
  columnHeaders: ['Spalte', 'Name', 'Erste Werte', 'Wird zu'],
  unnamedColumn: (n: number) => `Spalte ${n}`,
  noColumn: 'Nicht importiert',
  fields: {
    title: 'Titel',
    description: 'Beschreibung',
    status: 'Status',
    priority: 'Priorität',
    assignees: 'Zuständige',
    tags: 'Schlagwörter',
    project: 'Projekt',
    start_date: 'Startdatum',
    due_date: 'Fällig',
    estimate: 'Schätzung',
    parent: 'Übergeordnete Aufgabe',
    blocked_by: 'Blockiert von',
    id: 'ID',
    completed: 'Erledigt',
  },
  questions: {
    projects: { title: 'Projekte', question: 'Wohin sollen die Aufgaben?' },
    dates: {
      title: 'Datum',
      question: (example: string) => `Was steht in ${example} vorn, der Tag oder der Monat?`,
    },
    people: {
      title: 'Personen',
      question: 'Wer ist das? Wer kein Mitglied ist, wird in der Beschreibung genannt.',
    },
    statuses: { title: 'Status', question: 'Was bedeutet dieser Status?' },
    priorities: { title: 'Prioritäten', question: 'Welche Priorität ist das?' },
  },
  recognized: 'Erkannte Namen',
  usedIn: (task: string) => `in „${task}“`,
  newProject: 'Neues Projekt',
  allTasks: 'Alle Aufgaben',
  categories: {
    backlog: 'Backlog',
    unstarted: 'Offen',
    started: 'In Arbeit',
    completed: 'Erledigt',
    canceled: 'Abgebrochen',
  },
  nobody: 'Kein Mitglied',
  dateOrders: { day_first: 'Tag zuerst', month_first: 'Monat zuerst' },
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
  hasHeadings: 'Die erste Zeile benennt die Spalten',
  sampleColumns: ['Zeile', 'Titel', 'Status', 'Fällig', 'Zuständige', 'Schlagwörter'],
  faults: 'Übersprungene Zeilen',
  emptyRow: 'Die Zeile hat keinen Titel und auch sonst nichts für eine Aufgabe.',
  faultColumns: ['Zeile', 'Titel', 'Grund'],
  warnings: 'Warnungen',
  comments: 'Kommentare',
  kept: (sentence: string) => `${sentence} Steht in der Beschreibung.`,
  losses: {
    not_a_date: (value: string) => `„${value}“ ist kein Datum.`,
    not_a_duration: (value: string) => `„${value}“ ist keine Dauer wie 1h 30m.`,
    not_a_completion: (value: string) => `„${value}“ ist weder ja noch nein noch ein Datum.`,
    not_a_priority: (value: string) => `„${value}“ ist keine Priorität.`,
    not_in_file: (value: string) => `„${value}“ steht nicht in der Datei.`,
    beyond_columns: (value: string) => `„${value}“ steht hinter der letzten Spalte.`,
    too_long: (value: string, max: number) =>
      `„${value}“ ist länger als ${formatNumber(max)} Zeichen.`,
    too_many: (value: string, max: number) =>
      `„${value}“ steht hinter den ersten ${formatNumber(max)}.`,
    out_of_range: (value: string) => `${value} sind mehr als ein Jahr oder weniger als nichts.`,
    no_room: (value: string) => `Das Projekt hat keinen Platz für „${value}“.`,
    too_deep: (value: string) => `Unter „${value}“ gäbe es zu viele Ebenen.`,
    in_other_project: (value: string) => `„${value}“ ist in einem anderen Projekt.`,
    blocks_too_many: (value: string) => `„${value}“ blockiert zu viele Aufgaben oder ist gelöscht.`,
    after_due_date: (value: string) => `${value} liegt nach der Fälligkeit.`,
  },
  changes: {
    title_empty:
      'Er fehlt. An seiner Stelle steht die erste Zeile der Beschreibung oder „Untitled“.',
    title_too_long: 'Er ist zu lang und steht ganz oben in der Beschreibung.',
    description_continued: 'Sie ist zu lang. Der Rest steht in Kommentaren.',
    description_cut: (_: string, max: number) =>
      `Nur die ersten ${formatNumber(max)} Zeichen werden importiert.`,
    comments_cut: (_: string, max: number) =>
      max === 1
        ? 'Nur der erste Kommentar wird importiert.'
        : `Nur die ersten ${formatNumber(max)} Kommentare werden importiert.`,
    id_taken: (value: string, row: number) => `Auch Zeile ${row} hat „${value}“.`,
    parent_below: (value: string) => `„${value}“ steht selbst unter dieser Aufgabe.`,
    parent_empty: (value: string, row: number) => `„${value}“ in Zeile ${row} ist leer.`,
    parent_too_deep: (value: string, max: number) =>
      `Unter „${value}“ gäbe es mehr als ${max} Ebenen, also steht sie eine Ebene höher.`,
    blocker_waits: (value: string) => `„${value}“ wartet selbst auf diese Aufgabe.`,
    blocker_empty: (value: string, row: number) => `„${value}“ in Zeile ${row} ist leer.`,
    project_unavailable:
      'Das gewählte Projekt ist archiviert oder gelöscht. Die Aufgaben sind in einem neuen.',
    sentence: (value: string) => value,
  },
  download: 'Als CSV herunterladen',
  start: (n: number) =>
    plural(n, { one: '# Aufgabe importieren', other: '# Aufgaben importieren' }),
  nothing: 'Nichts zu importieren: Alle Zeilen sind leer.',
  notTakenOver: (list: string) => `Nicht importiert: ${list}.`,
  unusedColumns: (list: string, n: number) => `${n === 1 ? 'die Spalte' : 'die Spalten'} ${list}`,
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
    [
      `${plural(n, { one: '# Aufgabe', other: '# Aufgaben' })} importiert.`,
      bad > 0 && `${plural(bad, { one: '# Zeile', other: '# Zeilen' })} übersprungen.`,
    ]
      .filter(Boolean)
      .join(' '),
  openProject: (name: string) => `${name} öffnen`,
  canceled: (n: number) =>
    `Abgebrochen. ${plural(n, { one: '# Aufgabe wurde', other: '# Aufgaben wurden' })} importiert.`,
  undone: 'Rückgängig gemacht. Die Aufgaben sind im Papierkorb.',
  failed: 'Die Datei lässt sich nicht importieren. Prüfen Sie das Format.',
  undo: 'Import rückgängig machen',
}
