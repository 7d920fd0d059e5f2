import { SUMMARY_FIELDS } from '../../src/resources/web-app/project-tasks/contract.ts'
import {
  findDifferences,
  type ReceivedChange,
  RecordCopy,
  type RecordSet,
  recordKey,
} from '../support/changes/record-copy.ts'
import { readTasks } from './expected-records.ts'
import { type HistoryPerson, type HistoryWorld, send } from './history-world.ts'

/** A page of the web app, which holds the tasks of a project in short and follows their changes. */
export interface PageReader {
  name: string
  person: HistoryPerson
  /** Whether it asks for the changes of its project alone. */
  isAlone: boolean
  project_id: string
  copy: RecordCopy
}

const LIMITS = [1, 3, 25, 500]
/** More requests than any history can need: changes that never end are reported. */
const MAX_REQUESTS = 3_000

export const createPageReader = (
  person: HistoryPerson,
  project_id: string,
  isAlone: boolean,
): PageReader => ({
  name: `page of ${person.role}${isAlone ? ', alone' : ''}`,
  person,
  isAlone,
  project_id,
  copy: new RecordCopy(),
})

/** Loads all tasks of its project, or reads on from there; returns whether more follows. */
export async function pullPageReader(world: HistoryWorld, reader: PageReader): Promise<boolean> {
  const { person, copy } = reader
  const { choices } = world
  if (!person.isMember) return false
  if (copy.position !== undefined && choices.chance(0.05)) {
    world.log.push(`${reader.name}: opens a project`)
    reader.project_id = choices.pick(world.projects) ?? reader.project_id
    copy.clear()
  }
  return copy.position === undefined ? loadTasks(world, reader) : readChanges(world, reader)
}

/** Pulls to the end and lists how it, and a page that opens now, differ from the list of tasks. */
export async function comparePageReader(
  world: HistoryWorld,
  reader: PageReader,
): Promise<string[]> {
  const { person, isAlone, name } = reader
  if (!person.isMember) return []
  await pullToEnd(world, reader, pullPageReader)
  const { project_id } = reader
  const opened = createPageReader(person, project_id, isAlone)
  await pullToEnd(world, opened, loadTasks)
  const listed = await readTasks(world, person, project_id)
  const expected: RecordSet = new Map()
  for (const [key, one] of listed) expected.set(key, { ...one, record: toSummary(one.record) })
  return [reader, opened].flatMap(({ copy }, at) =>
    findDifferences(copy.records, expected).map(
      (difference) => `${at === 0 ? '' : 'opened now, '}${name} ${difference}`,
    ),
  )
}

async function pullToEnd(
  world: HistoryWorld,
  reader: PageReader,
  pull: (world: HistoryWorld, reader: PageReader) => Promise<boolean>,
): Promise<void> {
  for (let requests = 0; await pull(world, reader); requests += 1)
    if (requests > MAX_REQUESTS) throw new Error(`${reader.name}: the changes do not end`)
}

interface TasksHead {
  project_id: string
  change_number: number
  history: string
  total: number
}

async function loadTasks(world: HistoryWorld, reader: PageReader): Promise<boolean> {
  const { person, project_id, copy } = reader
  const url = `/internal/projects/${project_id}/tasks`
  const { status, text } = await world.request(person, 'GET', url, undefined)
  if (status === 401) return signInAgain(person)
  // The person does not see it: there is nothing to show.
  if (status === 404) return false
  if (status !== 200) throw new Error(`${reader.name}: ${status} ${text}`)
  const [head, ...lines] = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)
  // Without its end the list is incomplete, because the person lost the project while it was read.
  if (JSON.stringify(lines.pop()) !== '{"end":true}') return true
  const { change_number, history } = head as TasksHead
  for (const columns of lines as Record<string, unknown[]>[]) {
    for (const [at, id] of (columns.id ?? []).entries()) {
      const entries = SUMMARY_FIELDS.map((name) => [name, columns[name]?.[at]] as const)
      const record = Object.fromEntries(entries)
      const key = recordKey('task', String(id))
      copy.records.set(key, { type: 'task', id: String(id), project_id, record })
    }
  }
  copy.position = `${change_number}.${history}`
  return false
}

async function readChanges(world: HistoryWorld, reader: PageReader): Promise<boolean> {
  const { person, project_id, copy, isAlone } = reader
  const query = new URLSearchParams({
    after: copy.position ?? '',
    limit: `${world.choices.pick(LIMITS)}`,
    ...(isAlone && { project_id, types: 'task,project' }),
  })
  const { status, body } = await send(world, person, `GET /internal/changes?${query}`)
  if (status === 401) return signInAgain(person)
  if (status === 410) {
    copy.clear()
    return true
  }
  if (status !== 200) throw new Error(`${reader.name}: ${status} ${JSON.stringify(body)}`)
  const { data, position, has_more } = body as {
    data: ReceivedChange[]
    position: string
    has_more: boolean
  }
  for (const change of data) applyToPage(reader, change)
  copy.position = position
  return has_more
}

/** Of the changes, a page keeps the tasks of its project, with the fields that it shows. */
function applyToPage({ copy, project_id }: PageReader, change: ReceivedChange): void {
  const { op, type, id, record = {} } = change
  if (op !== 'put') copy.apply(change)
  else if (type === 'task' && change.project_id === project_id)
    copy.apply({ ...change, record: toSummary(record) })
  else copy.apply({ op: 'delete', type, id })
}

/** A session ends, but not for good. */
function signInAgain(person: HistoryPerson): true {
  person.cookie = undefined
  return true
}

const toSummary = (record: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(SUMMARY_FIELDS.map((name) => [name, record[name]]))
