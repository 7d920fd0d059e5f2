import { formatNumber, plural } from '../../plural.ts'
import type { transferMessages } from '../../settings/transfer.ts'

const EXPORT_AS_CSV = 'Exportieren Sie Ihre Aufgaben als CSV und laden Sie das hoch.'
const SAVE_AS_CSV = 'Speichern Sie die Tabelle als CSV (UTF-8) und laden Sie das hoch.'
const UNPACK = 'Entpacken Sie es und laden Sie die Datei mit Ihren Aufgaben hoch.'
const RESTORE =
  'Eine Sicherung stellen Sie mit docket restore wieder her. Um einen Workspace umzuziehen, erstellen Sie ein Archiv unter Einstellungen, Import und Export, und laden Sie das hoch.'
const withMore = (names: string, more: number) =>
  more > 0 ? `${names} und ${formatNumber(more)} weitere` : names

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
    'Exporte aus Trello, Linear, Jira, Todoist, TickTick, GitHub, Vikunja und Docket oder eine beliebige Tabelle. Sie sehen eine Vorschau, bevor etwas erstellt wird.',
  steps: {
    file: 'Datei',
    format: 'Format',
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
    comments: 'Kommentare',
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
  newProjectName: 'Projektname',
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
    ticktick: 'TickTick (CSV)',
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
    no_task: (value: string) => `Aus „${value}“ ist vor dieser Aufgabe keine geworden.`,
    beyond_columns: (value: string) => `„${value}“ steht hinter der letzten Spalte.`,
    too_long: (value: string, max: number) =>
      `„${value}“ ist länger als ${formatNumber(max)} Zeichen.`,
    too_many: (value: string, max: number) =>
      `„${value}“ steht hinter den ersten ${formatNumber(max)}.`,
    out_of_range: (value: string) => `${value} ist negativ oder länger als ein Jahr.`,
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
    project_unavailable:
      'Das gewählte Projekt ist archiviert oder gelöscht. Die Aufgaben sind in einem neuen.',
  },
  errors: {
    is_pdf: `Das ist ein PDF. ${EXPORT_AS_CSV}`,
    is_image: `Das ist ein Bild. ${EXPORT_AS_CSV}`,
    is_web_page: `Das ist eine Webseite. ${EXPORT_AS_CSV}`,
    is_xml: `Das ist XML. ${EXPORT_AS_CSV}`,
    is_calendar: `Das ist ein Kalender (iCalendar). ${EXPORT_AS_CSV}`,
    is_email: `Das ist eine E-Mail. ${EXPORT_AS_CSV}`,
    is_property_list: `Das ist eine Property-Liste von Apple. ${EXPORT_AS_CSV}`,
    is_binary: `Diese Datei kann Docket nicht lesen. ${EXPORT_AS_CSV}`,
    is_old_office: `Das ist ein Dokument eines älteren Excel, Word oder Project. ${SAVE_AS_CSV}`,
    is_rtf: `Das ist ein formatiertes Dokument (RTF). ${SAVE_AS_CSV}`,
    is_excel: `Das ist eine Excel-Mappe. ${SAVE_AS_CSV}`,
    is_word: `Das ist ein Word-Dokument. ${SAVE_AS_CSV}`,
    is_presentation: `Das ist eine Präsentation. ${SAVE_AS_CSV}`,
    is_iwork: `Das ist ein Dokument von Numbers, Pages oder Keynote. ${SAVE_AS_CSV}`,
    is_opendocument: `Das ist eine OpenDocument-Datei. ${SAVE_AS_CSV}`,
    is_compressed: (format) =>
      `Diese Datei ist mit ${format} gepackt. Entpacken Sie sie und laden Sie die Datei darin hoch.`,
    is_tar: `Das ist ein Tar-Archiv, aber keines von Docket. ${UNPACK}`,
    is_database: `Das ist eine SQLite-Datenbank. ${RESTORE}`,
    is_backup: `Das ist die Sicherung einer ganzen Docket-Installation. ${RESTORE}`,
    is_contacts: 'Das sind Kontakte (vCard), keine Aufgaben.',
    is_key: 'Das ist ein Schlüssel oder Zertifikat. Es enthält keine Aufgaben.',
    is_utf16: `Die Datei ist in UTF-16 ohne Byte-Order-Mark. ${SAVE_AS_CSV}`,
    is_not_utf8:
      'Die Datei ist nicht in UTF-8. Speichern Sie sie als UTF-8 oder wählen Sie Windows-1252 (Latin-1) als Kodierung.',
    is_plain_text:
      'Das ist Text und keine Tabelle. Soll jede Zeile eine Aufgabe werden, schreiben Sie Titel in die erste Zeile und laden Sie die Datei noch einmal hoch.',
    lines_above_table:
      'Über der Tabelle stehen andere Zeilen. Löschen Sie alle über der, die die Spalten benennt, und laden Sie die Datei noch einmal hoch.',
    zip_damaged: 'Die Datei ist kein ZIP-Archiv oder beschädigt.',
    zip_too_many_files: (_, max) => `Das ZIP-Archiv enthält mehr als ${formatNumber(max)} Dateien.`,
    zip_file_too_large: (name) => `„${name}“ im ZIP-Archiv ist zu groß.`,
    zip_empty: 'Das ZIP-Archiv ist leer.',
    zip_no_table: (names, more) =>
      `Das ZIP-Archiv enthält keine Tabelle und keinen Export, den Docket kennt, sondern ${withMore(names, more)}. ${EXPORT_AS_CSV}`,
    zip_several_tables: (names, more) =>
      `Das ZIP-Archiv enthält mehrere Tabellen: ${withMore(names, more)}. ${UNPACK}`,
    zip_packed: (names, more) =>
      `Das ZIP-Archiv enthält ein weiteres Archiv oder Dokument: ${withMore(names, more)}. ${UNPACK}`,
    zip_misses: (name) => `Das ZIP-Archiv enthält keine Datei ${name}.`,
    json_malformed: 'Die Datei ist kein gültiges JSON.',
    json_too_deep: 'Die Datei ist zu tief verschachtelt.',
    json_unknown: `Docket kennt dieses JSON nicht. Es liest Boards von Trello und Issues von GitHub. ${EXPORT_AS_CSV}`,
    json_vikunja_part:
      'Das ist ein Teil eines Exports von Vikunja. Laden Sie die ganze ZIP-Datei hoch.',
    json_trello_cards:
      'Das ist eine Liste von Trello-Karten. Exportieren Sie das Board: Menü, Drucken, exportieren und teilen, Als JSON exportieren.',
    json_asana: `Das ist ein Export von Asana als JSON. ${EXPORT_AS_CSV}`,
    json_jira: `Das sind Vorgänge von Jira als JSON. ${EXPORT_AS_CSV}`,
    json_google_tasks:
      'Das ist ein Export von Google Tasks. Speichern Sie die Aufgaben als CSV mit einer Spalte Titel und laden Sie das hoch.',
    entry_too_long: (_, number) =>
      `Eintrag ${formatNumber(number)} der Datei ist länger als eine Million Zeichen.`,
    no_table: 'Die Datei enthält keine Tabelle. Ihre erste Zeile muss die Spalten benennen.',
    too_many_columns: (_, max) => `Die Tabelle hat mehr als ${formatNumber(max)} Spalten.`,
    too_many_cells: (_, max) => `Eine Zeile der Tabelle hat mehr als ${formatNumber(max)} Zellen.`,
    line_too_long: 'Eine Zeile der Tabelle ist länger als eine Million Zeichen.',
    quote_open: 'In der Tabelle wird ein Anführungszeichen nie geschlossen.',
    file_empty: 'Die Datei ist leer.',
    no_tasks: 'Die Datei enthält keine Aufgaben.',
    no_rows: 'Die Tabelle hat keine Zeilen unter der, die die Spalten benennt.',
    no_cards: 'Die Datei enthält keine Karten eines Trello-Boards.',
    no_issues: 'Die Datei hat keine Vorgänge unter der Zeile, die die Spalten benennt.',
    no_github_issues: 'Die Datei enthält keine Issues. Pull Requests werden nicht importiert.',
    too_many_tasks: (_, max) =>
      `Die Datei hat mehr als ${formatNumber(max)} Aufgaben. Teilen Sie sie auf mehrere Dateien auf.`,
    too_many_entries: 'Die Datei hat zu viele Kommentare, Checklisten oder Projekte.',
    archive_too_large: (part) =>
      `Das Archiv ist zu groß für den Import an dieser Stelle: ${part}. Verwenden Sie docket import.`,
    archive_damaged: (part, line) =>
      `Das Archiv ist beschädigt oder nicht von Docket${part && `: ${part}`}${line ? `, Zeile ${formatNumber(line)}` : ''}.`,
    file_deleted: 'Die Datei wurde gelöscht. Laden Sie sie noch einmal hoch.',
    not_permitted:
      'Wer den Import gestartet hat, ist nicht mehr Inhaber oder Admin. Machen Sie ihn rückgängig und laden Sie die Datei noch einmal hoch.',
    storage_full:
      'Der Workspace hat keinen Speicherplatz mehr. Löschen Sie Anhänge, Aufgaben und Kommentare und warten Sie, bis der Papierkorb geleert wird.',
    server_stopped:
      'Der Import ist fehlgeschlagen, weil der Server dabei zweimal stehen blieb. Versuchen Sie es mit einer kleineren Datei, oder wenden Sie sich an Ihren Betreiber.',
    failed:
      'Der Import ist fehlgeschlagen. Versuchen Sie es noch einmal, oder wenden Sie sich an Ihren Betreiber.',
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
    lines_above: ['Zeile über der Tabelle', 'Zeilen über der Tabelle'],
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
  undoneBut: (left: number) =>
    `Rückgängig gemacht. ${plural(left, { one: '# Aufgabe ist geblieben, weil seither jemand daran gearbeitet hat oder ihr Projekt archiviert ist', other: '# Aufgaben sind geblieben, weil seither jemand daran gearbeitet hat oder ihr Projekt archiviert ist' })}.`,
  undo: 'Import rückgängig machen',
}
