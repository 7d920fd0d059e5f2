import type { ImportKind } from '#resources/imports/internal.ts'
import { parseCsvHeaders } from '../formats/csv-table.ts'
import { detectEncoding } from '../formats/decode-text.ts'
import { UnreadableFileError } from '../formats/unreadable-file-error.ts'
import { readZipFiles } from '../formats/zip-files.ts'
import { readCsv } from './csv.ts'
import { ARCHIVE_FIRST_FILENAME, readDocketArchive } from './docket.ts'
import { readGitHub } from './github.ts'
import { readJira } from './jira.ts'
import { readLinear } from './linear.ts'
import type { ImportFile, SourceReader } from './source-reader.ts'
import { isZip, readTodoist } from './todoist.ts'
import { readTrello } from './trello.ts'
import { readVikunja } from './vikunja.ts'

/** The reader for each kind of file. */
export const SOURCE_READERS: Record<ImportKind, SourceReader> = {
  csv: readCsv,
  docket: readDocketArchive,
  trello: readTrello,
  linear: readLinear,
  jira: readJira,
  todoist: readTodoist,
  github: readGitHub,
  vikunja: readVikunja,
}

/** Columns by which the CSV exports of these tools are recognized. */
const TOOL_COLUMNS: [ImportKind, string[]][] = [
  ['todoist', ['TYPE', 'CONTENT', 'INDENT']],
  ['jira', ['Issue key', 'Summary']],
  ['linear', ['ID', 'Team', 'Title', 'Cycle Number']],
]
const HEAD_BYTES = 65_536

/** Guesses the kind of a file from its first bytes. */
export async function detectSourceKind(source: ImportFile): Promise<ImportKind> {
  if (await isZip(source)) return detectZipKind(source)
  const head = await readHead(source)
  if (head.startsWith(`${ARCHIVE_FIRST_FILENAME}\0`)) return 'docket'
  const [first] = head.trimStart()
  if (first === '{') return 'trello'
  if (first === '[') return 'github'
  const headers = await readHeaders(head)
  return TOOL_COLUMNS.find(([, names]) => names.every((one) => headers.includes(one)))?.[0] ?? 'csv'
}

async function detectZipKind(source: ImportFile): Promise<ImportKind> {
  for await (const { name } of readZipFiles(source)) {
    if (name === 'data.json') return 'vikunja'
    if (/\.csv$/i.test(name)) return 'todoist'
  }
  throw new UnreadableFileError('The ZIP archive is none that Vikunja or Todoist makes.')
}

/** Decodes the first bytes leniently: invalid ones become replacement characters. */
async function readHead(source: ImportFile): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of source.bytes(0, Math.min(HEAD_BYTES, source.size))) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  return new TextDecoder(detectEncoding(bytes, false)).decode(bytes)
}

/** Returns no headers for a file that is no table: the CSV reader then reports why. */
async function readHeaders(head: string): Promise<string[]> {
  try {
    return await parseCsvHeaders(head)
  } catch (error) {
    if (error instanceof UnreadableFileError) return []
    throw error
  }
}
