import type { Kind } from '#resources/imports/internal.ts'
import { readCsv } from './csv.ts'
import { FIRST_PART, readDocket } from './docket.ts'
import { readGitHub } from './github.ts'
import { readJira } from './jira.ts'
import { readLinear } from './linear.ts'
import type { Reader, Source } from './reading.ts'
import { tableOf } from './table.ts'
import { isZip, readTodoist } from './todoist.ts'
import { readTrello } from './trello.ts'
import { Unreadable } from './unreadable.ts'
import { readVikunja } from './vikunja.ts'
import { filesIn } from './zip.ts'

/** Who reads which kind of file. */
export const READERS: Record<Kind, Reader> = {
  csv: readCsv,
  docket: readDocket,
  trello: readTrello,
  linear: readLinear,
  jira: readJira,
  todoist: readTodoist,
  github: readGitHub,
  vikunja: readVikunja,
}

/** Columns by which the tables of tools are known. */
const COLUMNS: [Kind, string[]][] = [
  ['todoist', ['TYPE', 'CONTENT', 'INDENT']],
  ['jira', ['Issue key', 'Summary']],
  ['linear', ['ID', 'Team', 'Title', 'Cycle Number']],
]
const LOOKED_AT = 65_536

/** What a file most likely is, by how it begins. */
export async function kindOf(source: Source): Promise<Kind> {
  if (await isZip(source)) return kindOfZip(source)
  const head = await headOf(source)
  if (head.startsWith(`${FIRST_PART}\0`)) return 'docket'
  const [first] = head.trimStart()
  if (first === '{') return 'trello'
  if (first === '[') return 'github'
  const headers = await headersIn(head)
  return COLUMNS.find(([, wanted]) => wanted.every((one) => headers.includes(one)))?.[0] ?? 'csv'
}

async function kindOfZip(source: Source): Promise<Kind> {
  for await (const { name } of filesIn(source)) {
    if (name === 'data.json') return 'vikunja'
    if (/\.csv$/i.test(name)) return 'todoist'
  }
  throw new Unreadable('The ZIP archive is none that Vikunja or Todoist makes.')
}

/** The first characters, whatever bytes there are among them. */
async function headOf(source: Source): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of source.bytes(0, Math.min(LOOKED_AT, source.size))) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  const isWide =
    (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
  const name = isWide ? (bytes[0] === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8'
  return new TextDecoder(name).decode(bytes)
}

/** Of what is no table at all, its reader tells why. */
async function headersIn(head: string): Promise<string[]> {
  try {
    return (await tableOf(once(head))).headers
  } catch (error) {
    if (error instanceof Unreadable) return []
    throw error
  }
}

async function* once(text: string): AsyncGenerator<string> {
  yield text
}
