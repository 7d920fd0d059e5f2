import { Value } from 'typebox/value'
import { ChangePage } from '#resources/changes/contract.ts'
import {
  findDifferences,
  RecordCopy,
  type RecordSet,
  recordKey,
} from '../support/changes/record-copy.ts'
import { type ReaderSelection, readAllRecords, selectRecords } from './expected-records.ts'
import { type HistoryPerson, type HistoryWorld, send } from './history-world.ts'

/** A program that keeps a copy of what one person may read. */
export interface HistoryReader {
  name: string
  person: HistoryPerson
  selection: ReaderSelection
  copy: RecordCopy
  /** How many changes it asks for at once. */
  limits: readonly number[]
}

const LIMITS = [1, 2, 3, 7, 25, 200, 500]
/** More pages than any history can have: a feed that never ends is reported. */
const MAX_PAGES = 3_000

export function createReader(
  person: HistoryPerson,
  selection: ReaderSelection = {},
  limits: readonly number[] = LIMITS,
): HistoryReader {
  const name = `${person.role} ${JSON.stringify(selection)}`
  return { name, person, selection, limits, copy: new RecordCopy() }
}

/** Reads and applies one page; returns whether more follows. Positions that have expired begin anew. */
export async function pullPage(world: HistoryWorld, reader: HistoryReader): Promise<boolean> {
  const { person, copy, selection } = reader
  if (!person.isMember) return false
  const query = new URLSearchParams({
    limit: `${world.choices.pick(reader.limits)}`,
    ...(copy.position !== undefined && { after: copy.position }),
    ...(selection.project_id !== undefined && { project_id: selection.project_id }),
    ...(selection.types && { types: selection.types.join(',') }),
  })
  const { status, body } = await send(world, person, `GET /api/v1/changes?${query}`)
  if (status === 410) {
    copy.clear()
    world.log.push(`${reader.name}: begins again`)
    return true
  }
  if (status !== 200) throw new Error(`${reader.name}: ${status} ${JSON.stringify(body)}`)
  if (!Value.Check(ChangePage, body)) throw new Error(`${reader.name}: ${JSON.stringify(body)}`)
  const page = body
  if (page.data.length > Number(query.get('limit'))) throw new Error('A page exceeds its limit')
  for (const change of page.data) copy.apply(change)
  copy.position = page.position
  return page.has_more
}

/** Pulls to the end. */
export async function pullAll(world: HistoryWorld, reader: HistoryReader): Promise<void> {
  for (let pages = 0; await pullPage(world, reader); pages += 1)
    if (pages > MAX_PAGES) throw new Error(`${reader.name}: the feed does not end`)
}

/** Pulls to the end and lists how the copy differs from what the lists tell the same person. */
export async function pullAndCompare(
  world: HistoryWorld,
  reader: HistoryReader,
  known?: RecordSet,
): Promise<string[]> {
  if (!reader.person.isMember) return []
  await pullAll(world, reader)
  const all = known ?? (await readAllRecords(world, reader.person))
  const expected = selectRecords(all, reader.selection)
  await replaceBySingleRead(world, reader.person, expected)
  return findDifferences(reader.copy.records, expected).map(
    (difference) => `${reader.name} ${difference}`,
  )
}

const PATH_BY_TYPE: Readonly<Record<string, string>> = {
  project: 'projects',
  task: 'tasks',
  comment: 'comments',
  time_entry: 'time-entries',
  tag: 'tags',
  attachment: 'attachments',
}

/** Reads one of the records by itself, because single reads must tell the same as lists. */
async function replaceBySingleRead(
  world: HistoryWorld,
  person: HistoryPerson,
  records: RecordSet,
): Promise<void> {
  const held = world.choices.pick([...records.values()])
  const path = held && PATH_BY_TYPE[held.type]
  if (!path) return
  const { status, body } = await send(world, person, `GET /api/v1/${path}/${held.id}`)
  if (status !== 200) throw new Error(`The single read of ${held.id} answers ${status}`)
  records.set(recordKey(held.type, held.id), { ...held, record: body })
}
