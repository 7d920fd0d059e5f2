import { parseEstimate } from '#lib/cell-values.ts'
import { foldCase } from '#lib/fold-case.ts'
import {
  emptyImportedTask,
  type ImportedComment,
  type ImportedTask,
} from '#resources/imports/imported-task.ts'
import { MAX_IMPORT_PROJECTS } from '#resources/imports/internal.ts'
import type { ProjectDetails } from '#resources/imports/load.ts'
import type { StatusCategory } from '#resources/projects/contract.ts'
import { type CsvLine, parseCsvTable } from '../formats/csv-table.ts'
import { decodeText } from '../formats/decode-text.ts'
import { tooManyTasks } from '../formats/unreadable-file-error.ts'
import { keepBeyond, toWarning } from '../mapping/fit-row.ts'
import {
  guessStatusCategory,
  isNoValue,
  meansOpen,
  parseImportedDay,
} from '../mapping/parse-values.ts'
import {
  createOmissionCounter,
  type ExtraValue,
  type OmissionCounter,
  toLinkNote,
  toNumberIfPlain,
  withExtraValues,
} from './extra-values.ts'
import type { ImportFile, ParsedRow, SourceReader } from './source-reader.ts'

/**
 * Reads the CSV export of Jira, which repeats the columns that hold several values. What no field
 * of a task is made for becomes custom fields.
 */
export const readJira: SourceReader = async (source, plan, { maxRows }) => {
  const { headers, lines } = await parseCsvTable(decodeText(source.bytes(), plan.latin1))
  const columns = findColumns(headers)
  const names = await readNames(source, plan.latin1, columns, maxRows)
  const statuses = new Map<string, StatusCategory>()
  const projects = new Map<string, ProjectDetails>()
  const omissions = createOmissionCounter()
  return {
    statuses,
    rows: parseRows(lines, { columns, names, statuses, projects, omissions }),
    rest: () => ({ projects: [...projects.values()], not_taken_over: omissions.list() }),
  }
}

/** The columns that are read, with their names in Jira in English and German. */
const COLUMN_NAMES = {
  summary: ['summary', 'zusammenfassung'],
  key: ['issue key', 'work item key', 'vorgangsschlüssel', 'vorgangs-schlüssel', 'key'],
  id: ['issue id', 'work item id', 'vorgangs-id'],
  description: ['description', 'beschreibung'],
  status: ['status'],
  statusCategory: ['status category', 'statuskategorie'],
  resolution: ['resolution', 'lösung'],
  priority: ['priority', 'priorität'],
  assignee: ['assignee', 'zugewiesene person', 'zuständige person', 'bearbeiter'],
  assigneeId: ['assignee id'],
  reporter: ['reporter', 'autor'],
  reporterId: ['reporter id'],
  creator: ['creator', 'ersteller'],
  creatorId: ['creator id'],
  watchers: ['watchers', 'beobachter'],
  watchersId: ['watchers id'],
  labels: ['labels', 'stichwörter'],
  components: ['component/s', 'components', 'komponente(n)', 'komponenten'],
  projectName: ['project name', 'projektname', 'project'],
  projectKey: ['project key', 'projektschlüssel'],
  projectDescription: ['project description', 'projektbeschreibung'],
  startDate: ['custom field (start date)', 'start date', 'custom field (target start)'],
  dueDate: ['due date', 'fälligkeitsdatum', 'fällig am', 'custom field (target end)'],
  estimate: ['original estimate', 'ursprüngliche schätzung'],
  timeSpent: ['time spent', 'benötigte zeit'],
  parentKey: ['parent key', 'parent', 'übergeordnet', 'custom field (parent link)'],
  parentId: ['parent id', 'übergeordnete id'],
  epicLink: ['custom field (epic link)', 'epic link'],
  blockedBy: ['inward issue link (blocks)', 'inward issue link (blocker)'],
  blocks: ['outward issue link (blocks)', 'outward issue link (blocker)'],
  comment: ['comment', 'comments', 'kommentar', 'kommentare'],
  attachment: ['attachment', 'attachments', 'anhang', 'anhänge'],
  worklog: ['log work', 'arbeit protokollieren'],
  votes: ['votes', 'stimmen'],
} as const
type ColumnName = keyof typeof COLUMN_NAMES

/** Columns that say when something changed, repeat others, or only mean something to Jira. */
const IGNORED_COLUMN =
  /^(created|updated|last viewed|resolved|erstellt|aktualisiert|zuletzt angesehen|erledigt|parent summary|parent issue type|status category changed|project (lead|lead id|type|url)|work ratio|remaining estimate|σ.*|.* id|custom field \((rank|development|issue color|\[chart\].*|parent link|epic (name|color|colour|status)|satisfaction date|request participants)\))$/

interface JiraColumns {
  /** The headers under which each column is found. */
  read: ReadonlyMap<ColumnName, string[]>
  /** Headers of other columns, and the names of their values. */
  extra: [header: string, name: string][]
  /** Headers of links to other issues than blockers, and the kinds of link. */
  links: [header: string, kind: string][]
}

function findColumns(headers: readonly string[]): JiraColumns {
  const folded = headers.map((header) => [header, foldCase(header)] as const)
  const read = new Map<ColumnName, string[]>()
  const used = new Set<string>()
  for (const [column, names] of Object.entries(COLUMN_NAMES) as [ColumnName, readonly string[]][]) {
    // In the order of the names: the first of them that a file has decides.
    const found = names.flatMap((name) =>
      folded.flatMap(([header, it]) => (it === name ? header : [])),
    )
    read.set(column, found)
    for (const header of found) used.add(header)
  }
  const others = folded.filter(([header, it]) => !used.has(header) && !IGNORED_COLUMN.test(it))
  const links = others.flatMap(([header]) => {
    const [, kind] = /^(?:in|out)ward issue link \((.+)\)$/i.exec(header) ?? []
    return kind === undefined ? [] : [[header, kind] as [string, string]]
  })
  const extra = others
    .filter(([header]) => !links.some(([link]) => link === header))
    .map(([header]): [string, string] => [
      header,
      /^(?:custom field|benutzerdefiniertes feld) \((.+)\)$/i.exec(header)?.[1] ?? header,
    ])
  return { read, extra, links }
}

type CellReader = (...columns: ColumnName[]) => string[]

/** Reads the cells of a line by the columns that Jira has. */
const cellsOf =
  ({ read }: JiraColumns, { cells }: CsvLine): CellReader =>
  (...columns) =>
    columns.flatMap((column) => (read.get(column) ?? []).flatMap((name) => cells.get(name) ?? []))

/** Jira refers to parents by number and to the authors of comments by account. */
interface JiraNames {
  keys: ReadonlyMap<string, string>
  keysInFile: ReadonlySet<string>
  /** What blocks an issue, as the issues that block it say. */
  blockers: ReadonlyMap<string, string[]>
  people: ReadonlyMap<string, string>
}

async function readNames(
  source: ImportFile,
  latin1: boolean,
  columns: JiraColumns,
  maxRows: number,
): Promise<JiraNames> {
  const keys = new Map<string, string>()
  const keysInFile = new Set<string>()
  const blockers = new Map<string, string[]>()
  let linkCount = 0
  const people = new Map<string, string>()
  const { lines } = await parseCsvTable(decodeText(source.bytes(), latin1))
  for await (const line of lines) {
    const cells = cellsOf(columns, line)
    const [id] = cells('id')
    const [key] = cells('key')
    if (key !== undefined) keysInFile.add(key)
    if (id !== undefined && key !== undefined) keys.set(id, key)
    if (keysInFile.size > maxRows) throw tooManyTasks(maxRows)
    for (const blocked of cells('blocks')) {
      if (key === undefined || linkCount >= MAX_LINKS_PER_ROW * maxRows) break
      linkCount += 1
      const list = blockers.get(blocked)
      if (list) list.push(key)
      else blockers.set(blocked, [key])
    }
    for (const [name, account] of PEOPLE_COLUMNS) {
      const accounts = cells(account)
      for (const [at, person] of cells(name).entries()) {
        const accountId = accounts[at]
        if (accountId !== undefined && people.size < maxRows) people.set(accountId, person)
      }
    }
  }
  return { keys, keysInFile, blockers, people }
}

/** Further links would only use memory: no task may have so many blockers. */
const MAX_LINKS_PER_ROW = 50

const PEOPLE_COLUMNS = [
  ['assignee', 'assigneeId'],
  ['reporter', 'reporterId'],
  ['creator', 'creatorId'],
  ['watchers', 'watchersId'],
] as const

interface JiraTable {
  columns: JiraColumns
  names: JiraNames
  /** Filled while the rows are read. */
  statuses: Map<string, StatusCategory>
  projects: Map<string, ProjectDetails>
  omissions: OmissionCounter
}

async function* parseRows(
  lines: AsyncIterable<CsvLine>,
  table: JiraTable,
): AsyncGenerator<ParsedRow> {
  for await (const line of lines) yield keepBeyond(parseRow(line, table), line.beyond)
}

function parseRow(line: CsvLine, table: JiraTable): ParsedRow {
  const { columns, names, omissions } = table
  const cells = cellsOf(columns, line)
  const cell = (...columns: ColumnName[]) => cells(...columns)[0] ?? null
  const [status, project] = [cell('status'), cell('projectName', 'projectKey') ?? '']
  noteStatus(status, cells, table.statuses)
  const description = cell('projectDescription')
  if (description !== null && table.projects.size < MAX_IMPORT_PROJECTS)
    table.projects.set(project, { name: project, description })
  const attachments = cells('attachment').map(parseAttachment)
  omissions.add('attachments', attachments.length)
  omissions.add('time_entries', cells('worklog').length)
  omissions.add('votes', Number(cell('votes') ?? 0))
  const times = [
    ['Estimate', cell('estimate')],
    ['Time spent', cell('timeSpent')],
  ] as const
  const unread = times.flatMap(([name, text]) =>
    text === null || isNoValue(text) || parseSeconds(text) !== null ? [] : [[name, text] as const],
  )
  const row: ImportedTask = {
    ...emptyImportedTask(line.number),
    key: cell('key'),
    title: cell('summary') ?? '',
    description: cell('description'),
    status,
    priority_name: cell('priority'),
    assignees: distinct(cells('assignee').filter((name) => foldCase(name) !== 'unassigned')),
    tags: distinct([
      // A label has no blank in it; a component may have commas.
      ...cells('labels').flatMap((label) => label.split(/[,;]?\s+/, MAX_LABELS).filter(Boolean)),
      ...cells('components'),
    ]),
    project,
    start_date: cell('startDate'),
    due_date: cell('dueDate'),
    estimate_seconds: parseSeconds(cell('estimate')),
    parent: parentOf(cell, names.keys),
    blocked_by: distinct([...cells('blockedBy'), ...(names.blockers.get(cell('key') ?? '') ?? [])]),
    comments: cells('comment').map((comment) => parseComment(comment, names.people)),
    notes: [...attachments, ...unread.map(([name, text]) => `${name}: ${text}`)],
  }
  const spent = parseSeconds(cell('timeSpent'))
  return {
    row: withExtraValues(row, [
      ['Reporter', cell('reporter', 'creator')],
      ['Resolution', meaningfulResolution(cell('resolution'))],
      ['Time spent', spent === null || spent === 0 ? null : formatDuration(spent)],
      ['Watchers', cells('watchers')],
      ['Blocks', cells('blocks').filter((key) => !names.keysInFile.has(key))],
      ...linksOf(line, columns),
      ...extraOf(line, columns),
    ]),
    warnings: unread.map(([name, text]) => toWarning('not_a_duration', name, text)),
  }
}

/** Further labels in a cell would only take time: no task may have so many tags. */
const MAX_LABELS = 200

const distinct = (values: readonly string[]): string[] => [...new Set(values)]

/** The categories of Jira, by which the meaning of statuses in any language is known. */
const JIRA_CATEGORIES: ReadonlyMap<string, StatusCategory> = new Map(
  Object.entries({
    ...({ 'to do': 'unstarted', 'zu erledigen': 'unstarted', new: 'unstarted' } as const),
    ...({ 'in progress': 'started', 'in arbeit': 'started', indeterminate: 'started' } as const),
    ...({ done: 'completed', fertig: 'completed', erledigt: 'completed' } as const),
  }),
)

function noteStatus(
  status: string | null,
  cells: CellReader,
  statuses: Map<string, StatusCategory>,
): void {
  if (status === null || statuses.has(status)) return
  const guess = guessStatusCategory(status)
  const category = JIRA_CATEGORIES.get(foldCase(cells('statusCategory')[0] ?? ''))
  // A category of Jira is coarser than what a name says: a backlog is "To Do", a rejected one "Done".
  const isFiner =
    (category === 'unstarted' && guess === 'backlog') ||
    (category === 'completed' && guess === 'canceled')
  if (category !== undefined && !isFiner) statuses.set(status, category)
  const resolution = meaningfulResolution(cells('resolution')[0] ?? null)
  if (category === undefined && guess === 'unstarted' && resolution !== null)
    statuses.set(status, 'completed')
}

/** What an issue was resolved as; null if it was not. */
const meaningfulResolution = (resolution: string | null): string | null =>
  resolution === null || meansOpen(resolution) ? null : resolution

/** The key of the parent, or of the epic. Some columns hold the number of the issue instead. */
function parentOf(
  cell: (...columns: ColumnName[]) => string | null,
  keys: ReadonlyMap<string, string>,
): string | null {
  const parent = cell('parentKey', 'parentId', 'epicLink')
  return parent === null ? null : (keys.get(parent) ?? parent)
}

/** Seconds as Jira exports them, or a time in words. */
function parseSeconds(text: string | null): number | null {
  if (text === null) return null
  const seconds = Number(text)
  return Number.isInteger(seconds) && seconds >= 0 ? seconds : (parseEstimate(text) ?? null)
}

const formatDuration = (seconds: number): string => {
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.round((seconds % 3_600) / 60)]
  return [hours > 0 && `${hours}h`, minutes > 0 && `${minutes}m`].filter(Boolean).join(' ') || '1m'
}

/** `21/Nov/26 9:30 AM;ada;plan.pdf;https://jira.example/plan.pdf` as a line with a link. */
function parseAttachment(cell: string): string {
  const [, start = ''] = /^([^;]*;[^;]*;)/.exec(cell) ?? []
  const end = cell.lastIndexOf(';')
  const url = cell.slice(end + 1).trim()
  return start !== '' && end >= start.length && url.startsWith('http')
    ? toLinkNote('Attachment', cell.slice(start.length, end), url)
    : toLinkNote('Attachment', cell, null)
}

/** Keys of linked issues by the kind of link. */
function linksOf({ cells }: CsvLine, { links }: JiraColumns): ExtraValue[] {
  const byKind = new Map<string, string[]>()
  for (const [header, kind] of links)
    byKind.set(kind, [...(byKind.get(kind) ?? []), ...(cells.get(header) ?? [])])
  return [...byKind]
}

function extraOf({ cells }: CsvLine, { extra }: JiraColumns): ExtraValue[] {
  return extra.flatMap(([header, name]): ExtraValue[] => {
    const values = distinct(cells.get(header) ?? [])
    const [first] = values
    if (first === undefined) return []
    if (values.length > 1) return [[name, values]]
    // Jira writes points as `3.0`.
    return [[name, /points?|estimate/i.test(name) ? asNumber(first) : toNumberIfPlain(first)]]
  })
}

const asNumber = (text: string): number | string =>
  Number.isFinite(Number(text)) ? Number(text) : text

/** `21/Nov/26 9:30 AM;ada;What she said` */
function parseComment(cell: string, people: ReadonlyMap<string, string>): ImportedComment {
  const [, at = '', author = '', body = ''] = /^([^;\n]*);([^;\n]*);(.*)$/s.exec(cell) ?? []
  const day = parseImportedDay(at)
  return day === undefined || body.trim() === ''
    ? { author: null, at: null, body: cell }
    : { author: people.get(author) ?? (author || null), at: day, body: body.trim() }
}
