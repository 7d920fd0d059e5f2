import { parseEstimate } from '#lib/cell-values.ts'
import { foldCase } from '#lib/fold-case.ts'
import type { ImportedComment } from '#resources/imports/imported-task.ts'
import { MAX_IMPORT_PROJECTS } from '#resources/imports/internal.ts'
import type { StatusCategory } from '#resources/projects/contract.ts'
import {
  type CsvLine,
  type CsvTable,
  findColumns,
  openTable,
  readCell,
  readCells,
} from '../formats/csv-table.ts'
import { tooManyTasks } from '../formats/unreadable-file-error.ts'
import type { ExtraValue } from '../mapping/extra-values.ts'
import {
  guessStatusCategory,
  isNoValue,
  meansOpen,
  parseImportedDay,
} from '../mapping/parse-values.ts'
import {
  type LostValue,
  type SourceReader,
  type SourceReading,
  toLinkNote,
  toNumberIfPlain,
} from './source.ts'

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

/** JiraColumns that say when something changed, repeat others, or only mean something to Jira. */
const IGNORED_COLUMN =
  /^(created|updated|last viewed|resolved|erstellt|aktualisiert|zuletzt angesehen|erledigt|parent summary|parent issue type|status category changed|project (lead|lead id|type|url)|work ratio|remaining estimate|σ.*|.* id|custom field \((rank|development|issue color|\[chart\].*|parent link|epic (name|color|colour|status)|satisfaction date|request participants)\))$/

/** The cells of a line by the columns that Jira has. */
type CellReader = (...columns: ColumnName[]) => string[]
type JiraColumns = ReturnType<typeof findColumns<ColumnName>>

/**
 * Reads the CSV export of Jira, which repeats the columns that hold several values. What no field
 * of a task is made for becomes custom fields.
 */
export const readJira: SourceReader = async function* (reading) {
  const { columns, lines } = await openTable(reading)
  const table = findColumns(columns, COLUMN_NAMES)
  const names = await readNames(reading, table)
  const projects = new Set<string>()
  const others = findOthers(columns, table)
  for await (const line of lines) {
    const [cells, cell] = [readCells(table.places, line), readCell(table.places, line)]
    const [key, status, resolution] = [cell('key'), cell('status'), cell('resolution')]
    noteStatus({ status, resolution, category: cell('statusCategory') }, reading.statuses)
    const [project, description] = [
      cell('projectName', 'projectKey') ?? '',
      cell('projectDescription'),
    ]
    if (description !== null && !projects.has(project) && projects.size < MAX_IMPORT_PROJECTS) {
      projects.add(project)
      reading.projects.push({ name: project, description })
    }
    const attachments = cells('attachment').map(parseAttachment)
    reading.omissions.add('attachments', attachments.length)
    reading.omissions.add('time_entries', cells('worklog').length)
    reading.omissions.add('votes', Number(cell('votes') ?? 0))
    const [estimate, spent] = [cell('estimate'), cell('timeSpent')]
    const seconds = parseSeconds(spent)
    const parent = cell('parentKey', 'parentId', 'epicLink')
    // A label has no blank in it; a component may have commas.
    const labels = cells('labels').flatMap((label) => label.split(/[,;]?\s+/, MAX_LABELS))
    yield {
      number: line.number,
      key,
      title: cell('summary') ?? '',
      description: cell('description'),
      status,
      priority_name: cell('priority'),
      assignees: cells('assignee').filter((name) => foldCase(name) !== 'unassigned'),
      tags: [...labels, ...cells('components')].map((name) => ({ name })),
      project,
      start_date: cell('startDate'),
      due_date: cell('dueDate'),
      estimate_seconds: parseSeconds(estimate),
      // Some columns hold the number of the issue instead of its key.
      parent: parent === null ? null : (names.keys.get(parent) ?? parent),
      blocked_by: [...cells('blockedBy'), ...(names.blockers.get(key ?? '') ?? [])],
      comments: cells('comment').map((comment) => parseComment(comment, names.people)),
      notes: attachments,
      extra: [
        ['Reporter', cell('reporter', 'creator')],
        ['Resolution', meaningfulResolution(resolution)],
        ['Time spent', seconds === null || seconds === 0 ? null : formatDuration(seconds)],
        ['Watchers', cells('watchers')],
        ['Blocks', cells('blocks').filter((blocked) => !names.keysInFile.has(blocked))],
        ...others.map((column) => toExtraValue(line, column)),
      ],
      losses: [...lostTime('Estimate', estimate), ...lostTime('Time spent', spent), ...line.beyond],
    }
  }
}

/** A column that becomes a custom field, which may have several places. */
interface OtherColumn {
  name: string
  /** Whether it holds the keys of linked issues. */
  isLink: boolean
  places: number[]
}

/** Other columns than those that are read; links to other issues by their kind, whatever their direction. */
function findOthers(columns: CsvTable['columns'], { others }: JiraColumns): OtherColumn[] {
  const byName = new Map<string, OtherColumn>()
  for (const at of others) {
    const header = columns[at] ?? ''
    if (IGNORED_COLUMN.test(foldCase(header))) continue
    const [, kind] = /^(?:in|out)ward issue link \((.+)\)$/i.exec(header) ?? []
    const [, field] = /^(?:custom field|benutzerdefiniertes feld) \((.+)\)$/i.exec(header) ?? []
    const key = kind === undefined ? header : `link ${kind}`
    const isLink = kind !== undefined
    const column = byName.get(key) ?? { name: kind ?? field ?? header, isLink, places: [] }
    column.places.push(at)
    byName.set(key, column)
  }
  return [...byName.values()]
}

/** Jira refers to parents by number and to the authors of comments by account. */
interface JiraNames {
  keys: ReadonlyMap<string, string>
  keysInFile: ReadonlySet<string>
  /** What blocks an issue, as the issues that block it say. */
  blockers: ReadonlyMap<string, string[]>
  people: ReadonlyMap<string, string>
}

async function readNames(reading: SourceReading, { places }: JiraColumns): Promise<JiraNames> {
  const { maxRows } = reading
  const keys = new Map<string, string>()
  const keysInFile = new Set<string>()
  const blockers = new Map<string, string[]>()
  let linkCount = 0
  const people = new Map<string, string>()
  const { lines } = await openTable(reading)
  for await (const line of lines) {
    const cells: CellReader = readCells(places, line)
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
    for (const name of ['assignee', 'reporter', 'creator', 'watchers'] as const) {
      const accounts = cells(`${name}Id`)
      for (const [at, person] of cells(name).entries()) {
        const account = accounts[at]
        if (account !== undefined && people.size < maxRows) people.set(account, person)
      }
    }
  }
  return { keys, keysInFile, blockers, people }
}

/** Further links would only use memory: no task may have so many blockers. */
const MAX_LINKS_PER_ROW = 50
/** Further labels in a cell would only take time: no task may have so many tags. */
const MAX_LABELS = 200

/** The categories of Jira, by which the meaning of statuses in any language is known. */
const JIRA_CATEGORIES: ReadonlyMap<string, StatusCategory> = new Map(
  Object.entries({
    ...({ 'to do': 'unstarted', 'zu erledigen': 'unstarted', new: 'unstarted' } as const),
    ...({ 'in progress': 'started', 'in arbeit': 'started', indeterminate: 'started' } as const),
    ...({ done: 'completed', fertig: 'completed', erledigt: 'completed' } as const),
  }),
)

function noteStatus(
  cells: Record<'status' | 'resolution' | 'category', string | null>,
  statuses: Map<string, StatusCategory>,
): void {
  const { status } = cells
  if (status === null || statuses.has(status)) return
  const guess = guessStatusCategory(status)
  const category = JIRA_CATEGORIES.get(foldCase(cells.category ?? ''))
  // A category of Jira is coarser than what a name says: a backlog is "To Do", a rejected one "Done".
  const isFiner =
    (category === 'unstarted' && guess === 'backlog') ||
    (category === 'completed' && guess === 'canceled')
  if (category !== undefined && !isFiner) statuses.set(status, category)
  const isResolved = meaningfulResolution(cells.resolution) !== null
  if (category === undefined && guess === 'unstarted' && isResolved)
    statuses.set(status, 'completed')
}

/** What an issue was resolved as; null if it was not. */
const meaningfulResolution = (resolution: string | null): string | null =>
  resolution === null || meansOpen(resolution) ? null : resolution

/** Seconds as Jira exports them, or a time in words. */
function parseSeconds(text: string | null): number | null {
  if (text === null) return null
  const seconds = Number(text)
  return Number.isInteger(seconds) && seconds >= 0 ? seconds : (parseEstimate(text) ?? null)
}

/** A time that cannot be read, unless the cell says that there is none. */
const lostTime = (field: string, text: string | null): LostValue[] =>
  text === null || isNoValue(text) || parseSeconds(text) !== null
    ? []
    : [{ code: 'not_a_duration', field, text }]

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

function toExtraValue({ values }: CsvLine, { name, isLink, places }: OtherColumn): ExtraValue {
  const cells = [...new Set(places.flatMap((at) => values[at] || []))]
  const [first = ''] = cells
  if (isLink || cells.length > 1) return [name, cells]
  // Jira writes points as `3.0`.
  return [name, /points?|estimate/i.test(name) ? asNumber(first) : toNumberIfPlain(first)]
}

const asNumber = (text: string): number | string =>
  text !== '' && Number.isFinite(Number(text)) ? Number(text) : text

/** `21/Nov/26 9:30 AM;ada;What she said` */
function parseComment(cell: string, people: ReadonlyMap<string, string>): ImportedComment {
  const [, at = '', author = '', body = ''] = /^([^;\n]*);([^;\n]*);(.*)$/s.exec(cell) ?? []
  const day = parseImportedDay(at)
  return day === undefined || body.trim() === ''
    ? { author: null, at: null, body: cell }
    : { author: people.get(author) ?? (author || null), at: day, body: body.trim() }
}
