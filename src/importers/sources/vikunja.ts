import { emptyImportedTask, type ImportedTask } from '#resources/imports/imported-task.ts'
import { decodeText } from '../formats/decode-text.ts'
import { type JsonElement, readJsonObjectElements } from '../formats/json-elements.ts'
import {
  asDay,
  asDue,
  asJsonObject,
  asJsonObjects,
  asText,
  type JsonObject,
} from '../formats/json-values.ts'
import { UnreadableFileError } from '../formats/unreadable-file-error.ts'
import { readZipFiles } from '../formats/zip-files.ts'
import { firstComments } from '../mapping/validate-row.ts'
import type { ImportFile, ParsedRow, SourceReader } from './source-reader.ts'

/** Reads the user data export of Vikunja: a ZIP archive with projects and tasks in `data.json`. */
export const readVikunja: SourceReader = async (source, _, { timezone }) => ({
  rows: readRows(source, timezone),
})

const DATA_FILENAME = 'data.json'

async function* readRows(source: ImportFile, timezone: string): AsyncGenerator<ParsedRow> {
  const projects = await readProjects(source)
  let number = 0
  for await (const { object, member, value } of readData(source)) {
    if (member !== 'tasks') continue
    number += 1
    const task = asJsonObject(value)
    const { title = '', buckets } = projects.get(object) ?? {}
    const status = buckets?.get(asText(task.bucket_id)) ?? null
    yield { row: { ...toRow(task, number, timezone), project: title, status }, warnings: [] }
  }
}

/** Streams the members of the projects, whose tasks are too many to be held in memory together. */
async function* readData(source: ImportFile): AsyncGenerator<JsonElement> {
  for await (const { name, bytes } of readZipFiles(source)) {
    if (name === DATA_FILENAME) return yield* readJsonObjectElements(decodeText(bytes(), false))
  }
  throw new UnreadableFileError(`The ZIP archive holds no ${DATA_FILENAME}.`)
}

interface VikunjaProject {
  title: string
  buckets: Map<string | null, string | null>
}

/** In characters: what is held in memory while the tasks are read. */
const MAX_HELD_LENGTH = 67_108_864
/** What an entry takes beside its texts, which may be empty. */
const ENTRY_LENGTH = 512

/** Reads what the tasks refer to in a first pass, because the buckets follow them in the file. */
async function readProjects(source: ImportFile): Promise<ReadonlyMap<number, VikunjaProject>> {
  const projects = new Map<number, VikunjaProject>()
  let heldLength = 0
  for await (const { object, member, value } of readData(source)) {
    if (member !== 'title' && member !== 'buckets') continue
    const project = projects.get(object) ?? { title: '', buckets: new Map() }
    projects.set(object, project)
    const bucket = asJsonObject(value)
    const [id, title] = [asText(bucket.id), asText(member === 'title' ? value : bucket.title)]
    if (member === 'title') project.title = title ?? ''
    else project.buckets.set(id, title)
    heldLength += ENTRY_LENGTH + (id?.length ?? 0) + (title?.length ?? 0)
    if (heldLength > MAX_HELD_LENGTH)
      throw new UnreadableFileError('The file has too many projects and buckets.')
  }
  return projects
}

const PRIORITIES: ImportedTask['priority'][] = ['none', 'low', 'medium', 'high', 'urgent', 'urgent']
const nameOf = (one: JsonObject) => asText(one.name) ?? asText(one.username)

function toRow(task: JsonObject, number: number, timezone: string): ImportedTask {
  const related = asJsonObject(task.related_tasks)
  const keysOf = (kind: string) =>
    asJsonObjects(related[kind]).flatMap((one) => asText(one.id) ?? [])
  return {
    ...emptyImportedTask(number),
    key: asText(task.id),
    title: asText(task.title) ?? '',
    description: toPlainText(asText(task.description)),
    completed: task.done === true,
    priority: PRIORITIES[Number(task.priority)] ?? 'none',
    assignees: [...new Set(asJsonObjects(task.assignees).flatMap((one) => nameOf(one) ?? []))],
    tags: [...new Set(asJsonObjects(task.labels).flatMap((one) => asText(one.title) ?? []))],
    start_date: asDay(task.start_date, timezone),
    ...asDue(task.due_date, timezone),
    parent: keysOf('parenttask')[0] ?? null,
    blocked_by: keysOf('blocked'),
    comments: firstComments(asJsonObjects(task.comments)).map((one) => ({
      author: nameOf(asJsonObject(one.author)),
      at: asDay(one.created, timezone),
      body: toPlainText(asText(one.comment)) ?? '',
    })),
  }
}

const HTML_ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' }

/** Converts the HTML of Vikunja to text. Paragraphs and list items are kept. */
function toPlainText(html: string | null): string | null {
  if (html === null || !/<\w|&\w/.test(html)) return html
  const converted = html
    .replace(/<li\b[^<>]*>/gi, '\n- ')
    .replace(/<br\b[^<>]*>/gi, '\n')
    .replace(/<\/(?:p|h\d|ul|ol|pre|blockquote)>/gi, '\n\n')
    .replace(/<[^<>]*>/g, '')
    .replace(/&(amp|lt|gt|quot|nbsp);/g, (all, name: string) => HTML_ENTITIES[name] ?? all)
    .replace(/&#39;/g, "'")
  return converted.replace(/\n{3,}/g, '\n\n').trim() || null
}
