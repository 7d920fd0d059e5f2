import { type RecordSet, recordKey } from '../support/changes/record-copy.ts'
import { type HistoryPerson, type HistoryWorld, send } from './history-world.ts'

/** The records that a reader follows. */
export interface ReaderSelection {
  project_id?: string
  types?: readonly string[]
}

type ListedRecord = Record<string, unknown> & { id: string }

const LISTS_OF_TASK = [
  ['comment', 'comments'],
  ['time_entry', 'time-entries'],
  ['attachment', 'attachments'],
] as const

/** Reads everything that the lists tell a person, page by page. */
export async function readAllRecords(
  world: HistoryWorld,
  person: HistoryPerson,
): Promise<RecordSet> {
  const records: RecordSet = new Map()
  const add = (type: string, project_id: string | null, listed: readonly ListedRecord[]) => {
    for (const record of listed)
      records.set(recordKey(type, record.id), { type, id: record.id, project_id, record })
  }
  const list = (path: string) => readList(world, person, path)
  add('member', null, await list('workspace/members'))
  for (const project of await list('projects')) {
    const { id } = project
    add('project', id, [project])
    add('tag', id, await list(`projects/${id}/tags`))
    const tasks = await list(`projects/${id}/tasks`)
    add('task', id, tasks)
    for (const task of tasks) {
      const lists = LISTS_OF_TASK.map(async ([type, path]) => {
        add(type, id, await list(`tasks/${task.id}/${path}`))
      })
      await Promise.all(lists)
    }
  }
  return records
}

/** Reads what the list of a project tells a person, page by page; nothing if the person does not see it. */
export async function readTasks(
  world: HistoryWorld,
  person: HistoryPerson,
  project_id: string,
): Promise<RecordSet> {
  const { status } = await send(world, person, `GET /api/v1/projects/${project_id}`)
  const listed = status === 404 ? [] : await readList(world, person, `projects/${project_id}/tasks`)
  return new Map(
    listed.map((record) => [
      recordKey('task', record.id),
      { type: 'task', id: record.id, project_id, record },
    ]),
  )
}

/** Of all records those that a selection has. */
export function selectRecords(all: RecordSet, { project_id, types }: ReaderSelection): RecordSet {
  const selected: RecordSet = new Map()
  for (const [key, held] of all) {
    const isWanted = types?.includes(held.type) ?? true
    if (isWanted && (project_id === undefined || held.project_id === project_id))
      selected.set(key, held)
  }
  return selected
}

async function readList(
  world: HistoryWorld,
  person: HistoryPerson,
  path: string,
): Promise<ListedRecord[]> {
  const records: ListedRecord[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const after = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const { status, body } = await send(world, person, `GET /api/v1/${path}?limit=100${after}`)
    if (status !== 200) throw new Error(`${path} → ${status} ${JSON.stringify(body)}`)
    const page = body as { data: ListedRecord[]; next_cursor: string | null }
    records.push(...page.data)
    cursor = page.next_cursor
  }
  return records
}
