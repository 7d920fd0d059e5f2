import { Readable } from 'node:stream'
import { foldCase } from '#lib/fold-case.ts'
import { IMPORT_KINDS, type ImportErrorCode, type ImportKind } from '#resources/imports/internal.ts'
import type { ImportPlan } from '#resources/imports/load.ts'
import { parseCsvTable, scanTable } from '../formats/csv-table.ts'
import { decodeText, detectEncoding } from '../formats/decode-text.ts'
import {
  asJsonObject,
  asText,
  type JsonElement,
  type JsonObject,
  readJsonElements,
} from '../formats/json-elements.ts'
import { tooManyTasks, UnreadableFileError } from '../formats/unreadable-file-error.ts'
import { isZip, readZipFiles } from '../formats/zip-files.ts'
import { toParsedRow } from '../mapping/extra-values.ts'
import { countColumnNames } from '../mapping/guess-columns.ts'
import { readCsv } from './csv.ts'
import { ARCHIVE_FIRST_FILENAME, readDocketArchive } from './docket.ts'
import { assertSupportedBytes, assertSupportedText } from './foreign-files.ts'
import { readGitHub } from './github.ts'
import { readJira } from './jira.ts'
import { readLinear } from './linear.ts'
import {
  createReading,
  type ImportFile,
  type ParsedRow,
  type ReaderContext,
  type SourceReader,
  type SourceReading,
} from './source.ts'
import { readTickTick } from './ticktick.ts'
import { readTodoist } from './todoist.ts'
import { readTrello } from './trello.ts'
import { readVikunja } from './vikunja.ts'

/** A kind of file that can be imported. */
interface SourceKind {
  read: SourceReader
  /** Why an import of such a file without tasks cannot begin. */
  empty: ImportErrorCode
  /** The columns by which the CSV export of a tool is recognized: of each list one at least. */
  columns?: string[][]
  /** Whether the reader takes a ZIP archive as it is. */
  isZip?: boolean
  /** Whether rows have stable ids: a task that an earlier import has made is not made twice. */
  hasIds?: boolean
}

const SOURCE_KINDS: Record<ImportKind, SourceKind> = {
  csv: { read: readCsv, empty: 'no_rows' },
  docket: { read: readDocketArchive, empty: 'no_tasks', hasIds: true },
  trello: { read: readTrello, empty: 'no_cards', hasIds: true },
  linear: {
    read: readLinear,
    empty: 'no_issues',
    hasIds: true,
    columns: [
      ['id'],
      ['team'],
      ['title'],
      ['cycle number', 'cycle name', 'parent issue', 'initiatives'],
    ],
  },
  jira: {
    read: readJira,
    empty: 'no_issues',
    hasIds: true,
    columns: [
      ['issue key', 'work item key', 'vorgangsschlüssel', 'vorgangs-schlüssel'],
      ['summary', 'zusammenfassung'],
    ],
  },
  todoist: {
    read: readTodoist,
    empty: 'no_tasks',
    columns: [['type'], ['content'], ['indent']],
    isZip: true,
  },
  github: { read: readGitHub, empty: 'no_github_issues', hasIds: true },
  vikunja: { read: readVikunja, empty: 'no_tasks', isZip: true, hasIds: true },
  ticktick: {
    read: readTickTick,
    empty: 'no_tasks',
    columns: [['list name'], ['title'], ['is check list'], ['taskid']],
  },
}

/** The kind of an import, if its rows have stable ids. */
export const findKindWithIds = (kind: string | null): ImportKind | undefined =>
  IMPORT_KINDS.find((one) => one === kind && SOURCE_KINDS[one].hasIds)

/** A file as the rows of tasks, and what else it holds. */
interface OpenedFile {
  kind: ImportKind
  reading: SourceReading
  rows: AsyncIterable<ParsedRow>
}

/**
 * Opens a file as the kind that a person has chosen, or as what it is by its content. A file that is
 * neither, or has no tasks, throws an `UnreadableFileError` that says what it is and what to do with it.
 */
export async function openSourceFile(
  source: ImportFile,
  chosen: ImportKind | null,
  plan: ImportPlan,
  context: ReaderContext,
): Promise<OpenedFile> {
  const { kind, inner } = await detectSourceKind(source, chosen)
  const reading = createReading(inner, plan, context)
  return { kind, reading, rows: readRows(reading, SOURCE_KINDS[kind]) }
}

async function* readRows(reading: SourceReading, kind: SourceKind): AsyncGenerator<ParsedRow> {
  let count = 0
  for await (const row of kind.read(reading)) {
    count += 1
    if (count > reading.maxRows) throw tooManyTasks(reading.maxRows)
    yield toParsedRow({ number: count, ...row })
  }
  if (count === 0) throw new UnreadableFileError(kind.empty)
}

const HEAD_BYTES = 65_536

interface DetectedSource {
  kind: ImportKind
  /** The file itself, or the only one of use in a ZIP archive. */
  inner: ImportFile
}

/** Finds out what a file is from its first bytes, its columns or its first records. */
export async function detectSourceKind(
  source: ImportFile,
  chosen: ImportKind | null = null,
): Promise<DetectedSource> {
  if (await isZip(source)) return detectInZip(source, chosen)
  const bytes = await readHead(source)
  const text = new TextDecoder(detectEncoding(bytes, false)).decode(bytes)
  if (text.startsWith(`${ARCHIVE_FIRST_FILENAME}\0`)) return { kind: 'docket', inner: source }
  assertSupportedBytes(bytes, text)
  if (chosen !== null) return { kind: chosen, inner: source }
  const start = text.replace(/^\ufeff/, '').trimStart()
  if (start === '') throw new UnreadableFileError('file_empty')
  assertSupportedText(start)
  const kind = /^[[{]/.test(start)
    ? await detectJsonKind(source)
    : await detectTableKind(text, source.filename)
  return { kind, inner: source }
}

async function detectTableKind(head: string, filename: string): Promise<ImportKind> {
  const headers = await readHeaders(head)
  const tool = toolOf(headers)
  if (tool !== undefined) return tool
  if (countColumnNames(headers) > 0) return 'csv'
  if (headers.length === 1) assertTable(head, filename)
  else if (!isTableName(filename) && !isEven(head)) throw new UnreadableFileError('is_plain_text')
  return 'csv'
}

/** The tool whose exports have these columns. */
function toolOf(headers: readonly string[]): ImportKind | undefined {
  const folded = new Set(headers.map(foldCase))
  return IMPORT_KINDS.find((kind) =>
    SOURCE_KINDS[kind].columns?.every((names) => names.some((name) => folded.has(name))),
  )
}

/** Throws for a text whose first line names no columns, because they are named further down or not at all. */
function assertTable(head: string, filename: string): void {
  const isTableBelow = scanTable(head).some((records) => {
    const counts = records.map((cells) => cells.length)
    return counts.some(
      (count, at) => count > 2 && counts[at + 1] === count && counts[at + 2] === count,
    )
  })
  if (isTableBelow) throw new UnreadableFileError('lines_above_table')
  if (!isTableName(filename)) throw new UnreadableFileError('is_plain_text')
}

const isTableName = (filename: string): boolean => /\.(?:csv|tsv)$/i.test(filename)

/** Whether the lines have the same number of cells. Those of a plain text have commas here and there. */
const isEven = (head: string): boolean =>
  scanTable(head).some((all) => {
    const records = all.filter((cells) => cells.some(Boolean))
    const count = records[0]?.length ?? 0
    return count > 1 && records.every((cells) => cells.length === count)
  })

/** Members that only a Trello board has. */
const TRELLO_MEMBERS = ['cards', 'lists', 'checklists', 'labelNames', 'idOrganization']
/** More records of unknown tools need not be read to give up. */
const MAX_EXAMINED_ELEMENTS = 1_000

async function detectJsonKind(source: ImportFile): Promise<ImportKind> {
  let count = 0
  const single: Record<string, unknown> = {}
  for await (const { member, value } of readJsonElements(decodeText(source.bytes(), false))) {
    const kind = kindOfElement({ object: 0, member, value })
    if (kind !== undefined) return kind
    // The file may be an issue, or have one on each line.
    if (member === 'title' || member === 'number' || member === 'html_url') single[member] = value
    if (isGitHubIssue(single)) return 'github'
    count += 1
    if (count > MAX_EXAMINED_ELEMENTS) break
  }
  if (count === 0) throw new UnreadableFileError('no_tasks')
  throw new UnreadableFileError('json_unknown')
}

/** What a part of a JSON file says about the whole; undefined if it says nothing. */
function kindOfElement({ member, value }: JsonElement): ImportKind | undefined {
  const one = asJsonObject(Array.isArray(value) ? value[0] : value)
  if (member !== null && TRELLO_MEMBERS.includes(member)) return 'trello'
  const isList = member === null || ['items', 'issues', 'nodes', 'data'].includes(member)
  if (!isList) return undefined
  if (isGitHubIssue(one)) return 'github'
  const code = FOREIGN_JSON.find(([isOf]) => isOf(one))?.[1]
  if (code !== undefined) throw new UnreadableFileError(code)
  return undefined
}

const isGitHubIssue = (one: JsonObject): boolean =>
  asText(one.title) !== null && (one.number !== undefined || one.html_url !== undefined)

/** JSON of these tools, by what one record of it is like, which has another export that is read. */
const FOREIGN_JSON: [(one: JsonObject) => boolean, ImportErrorCode][] = [
  [(one) => one.buckets !== undefined && one.hex_color !== undefined, 'json_vikunja_part'],
  [(one) => one.idBoard !== undefined, 'json_trello_cards'],
  [(one) => one.gid !== undefined, 'json_asana'],
  [(one) => asText(one.key) !== null && one.fields !== undefined, 'json_jira'],
  [(one) => asText(one.kind)?.startsWith('tasks#') === true, 'json_google_tasks'],
]

async function detectInZip(source: ImportFile, chosen: ImportKind | null): Promise<DetectedSource> {
  const names: string[] = []
  for await (const { name } of readZipFiles(source)) names.push(name)
  const visible = names.filter((name) => !/^__MACOSX\/|(?:^|\/)\./.test(name))
  if (chosen !== null && SOURCE_KINDS[chosen].isZip) return { kind: chosen, inner: source }
  assertNoDocument(names)
  if (visible.includes('data.json')) return { kind: 'vikunja', inner: source }
  const tables = visible.filter((name) => /\.(?:csv|tsv)$/i.test(name))
  const [first] = tables
  if (chosen === null && first !== undefined && (await isOfTodoist(openZipped(source, first))))
    return { kind: 'todoist', inner: source }
  const name = onlyFile(tables, visible)
  const inner = openZipped(source, name)
  if (await isZip(inner)) throw packedInZip([name])
  return detectSourceKind(inner, chosen)
}

/** The file of use in a ZIP archive, if there is only one. */
function onlyFile(tables: readonly string[], names: readonly string[]): string {
  // Notion writes a view of a database, and all of it.
  const whole = tables.filter((name) => /_all\.csv$/i.test(name))
  const candidates = whole.length > 0 ? whole : tables
  const [table] = candidates
  if (table !== undefined && candidates.length === 1) return table
  if (candidates.length > 1)
    throw new UnreadableFileError('zip_several_tables', firstNames(candidates))
  const json = names.filter((name) => /\.json$/i.test(name))
  const [file] = json
  if (file !== undefined && json.length === 1) return file
  const packed = names.filter((name) => /\.(?:zip|tar|xlsx)$/i.test(name))
  if (packed.length > 0) throw packedInZip(packed)
  if (names.length === 0) throw new UnreadableFileError('zip_empty')
  throw new UnreadableFileError('zip_no_table', firstNames(names))
}

const packedInZip = (names: readonly string[]) =>
  new UnreadableFileError('zip_packed', firstNames(names))

/** The first three names, and how many follow them. */
const firstNames = (names: readonly string[]): { value: string; number: number } => {
  const shown = names.slice(0, 3).map((name) => name.replace(/^.*\//, '').slice(0, 60))
  return { value: shown.join(', '), number: names.length - shown.length }
}

/** Documents that are ZIP archives, by a file in them. */
const ZIPPED_DOCUMENTS: [RegExp, ImportErrorCode][] = [
  [/^xl\/workbook\./, 'is_excel'],
  [/^word\/document\./, 'is_word'],
  [/^ppt\/presentation\./, 'is_presentation'],
  [/^Index(\/Document\.iwa|\.zip)$/, 'is_iwork'],
  [/^META-INF\/manifest\.xml$/, 'is_opendocument'],
  [/(?:^|\/)(?:docket\.db|SHA256SUMS)$/, 'is_backup'],
]

function assertNoDocument(names: readonly string[]): void {
  for (const [pattern, code] of ZIPPED_DOCUMENTS)
    if (names.some((name) => pattern.test(name))) throw new UnreadableFileError(code)
}

async function isOfTodoist(table: ImportFile): Promise<boolean> {
  const bytes = await readHead(table)
  const text = new TextDecoder(detectEncoding(bytes, false)).decode(bytes)
  return toolOf(await readHeaders(text)) === 'todoist'
}

/** A file in a ZIP archive as if it had been uploaded. */
function openZipped(source: ImportFile, name: string): ImportFile {
  return {
    filename: name.replace(/^.*\//, ''),
    // A compressed file is longer than this, and its end is where its bytes end.
    size: Number.MAX_SAFE_INTEGER,
    async *bytes(start = 0, end = Number.MAX_SAFE_INTEGER) {
      for await (const file of readZipFiles(source)) {
        if (file.name === name) return yield* sliceOf(file.bytes(), start, end)
      }
    },
  }
}

async function* sliceOf(
  chunks: AsyncIterable<Uint8Array>,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  let at = 0
  for await (const chunk of chunks) {
    const part = chunk.subarray(Math.max(0, start - at), Math.max(0, end - at))
    at += chunk.length
    if (part.length > 0) yield part
    if (at >= end) return
  }
}

async function readHead(source: ImportFile): Promise<Buffer> {
  const chunks = await Array.fromAsync(source.bytes(0, Math.min(HEAD_BYTES, source.size)))
  return Buffer.concat(chunks)
}

/** Returns no headers for a file that is no table: the CSV reader then reports why. */
async function readHeaders(head: string): Promise<readonly string[]> {
  try {
    const { columns } = await parseCsvTable(Readable.from([head]), () => true, false)
    return columns.filter((name, at) => name !== '' && columns.indexOf(name) === at)
  } catch (error) {
    if (error instanceof UnreadableFileError) return []
    throw error
  }
}
