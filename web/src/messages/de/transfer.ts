import { number, plural } from '../plural.ts'
import type { m } from '../transfer.ts'

export const transfer: typeof m = {
  import: 'Import',
  importWhy:
    'Aufgaben aus Trello, Linear, Jira, Todoist, GitHub, Vikunja oder jeder Tabelle. Nichts entsteht, bevor Sie gesehen haben, was daraus wird.',
  choose: 'Datei wählen',
  file: 'Datei',
  sending: (part: string) => `Wird gesendet, ${part}`,
  reading: (n: number) =>
    `Wird gelesen, bisher ${plural(n, { one: '# Zeile', other: '# Zeilen' })}`,
  found: (good: number, bad: number) =>
    `${plural(good, { one: '# Aufgabe ist', other: '# Aufgaben sind' })} möglich, ${plural(bad, { one: '# Zeile nicht', other: '# Zeilen nicht' })}.`,
  columns: 'Spalten',
  noColumn: 'Keine Spalte',
  fields: {
    title: 'Titel',
    description: 'Beschreibung',
    status: 'Status',
    priority: 'Priorität',
    assignees: 'Zuständige',
    tags: 'Tags',
    project: 'Projekt',
    start_date: 'Beginn',
    due_date: 'Fällig',
    estimate: 'Schätzung',
    parent: 'Übergeordnet',
    blocked_by: 'Blockiert von',
    id: 'Kennung',
    completed: 'Erledigt',
  },
  projects: 'Projekte',
  newProject: 'Neues Projekt',
  allTasks: 'Alle Aufgaben',
  statuses: 'Status',
  categories: {
    backlog: 'Backlog',
    unstarted: 'Nicht begonnen',
    started: 'Begonnen',
    completed: 'Erledigt',
    canceled: 'Abgebrochen',
  },
  people: 'Personen',
  nobody: 'Niemand hier',
  peopleHint: 'Wer hier niemand ist, bleibt als Name in der Beschreibung.',
  kind: 'Art',
  kinds: {
    csv: 'Tabelle (CSV)',
    trello: 'Trello (JSON)',
    linear: 'Linear (CSV)',
    jira: 'Jira (CSV)',
    todoist: 'Todoist (CSV, ZIP)',
    github: 'GitHub (JSON)',
    vikunja: 'Vikunja (ZIP)',
  },
  latin1: 'Die Datei ist in Windows-1252 (Latin-1)',
  sample: 'Erste Zeilen',
  sampleColumns: ['Zeile', 'Titel', 'Status', 'Fällig', 'Zuständige', 'Tags'],
  faults: 'Zeilen ohne Aufgabe',
  faultColumns: ['Zeile', 'Titel', 'Grund'],
  download: 'Als CSV herunterladen',
  start: (n: number) =>
    plural(n, { one: '# Aufgabe importieren', other: '# Aufgaben importieren' }),
  nothing: 'Aus keiner Zeile kann eine Aufgabe werden.',
  pause: 'Anhalten',
  resume: 'Fortsetzen',
  cancel: 'Abbrechen',
  running: (done: number, all: number) =>
    `Wird importiert, ${number(done)} von ${number(all)} Zeilen`,
  paused: (done: number, all: number) => `Angehalten bei ${number(done)} von ${number(all)} Zeilen`,
  undoing: (left: number) =>
    `Wird zurückgenommen, noch ${plural(left, { one: '# Aufgabe', other: '# Aufgaben' })}`,
  done: (n: number, bad: number) =>
    `${plural(n, { one: '# Aufgabe', other: '# Aufgaben' })} importiert, ${plural(bad, { one: '# Zeile', other: '# Zeilen' })} ohne Aufgabe.`,
  canceled: (n: number) =>
    `Abgebrochen; ${plural(n, { one: '# Aufgabe ist', other: '# Aufgaben sind' })} entstanden.`,
  undone: 'Was importiert wurde, liegt im Papierkorb.',
  failed: 'Die Datei konnte nicht importiert werden.',
  undo: 'Import rückgängig machen',
}
