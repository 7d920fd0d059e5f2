import { type Entry, entriesOf, NoTar } from '#archive/tar.ts'
import { emptyRow, type Row, type Said } from '#resources/imports/row.ts'
import type { StatusCategory } from '#resources/projects/contract.ts'
import { valuesOf } from './lines.ts'
import { day, type Thing, text, thing, things } from './parts.ts'
import type { Read, Reader, Source } from './reading.ts'
import { Unreadable } from './unreadable.ts'

/** How an archive of Docket begins: the name of its first part. */
export const FIRST_PART = 'workspace.jsonl'

const PARTS = ['members', 'projects', 'tags', 'tasks', 'comments'] as const
/** Comments stand behind the tasks that they belong to, so they are in memory before those are read. */
const MOST_OF_COMMENTS = 64 * 1024 * 1024
const DAMAGED = 'The archive is damaged, or is none that Docket has made'

/**
 * The archive of a workspace (docs/archive.md): the tasks of its projects with tags and comments, without
 * those that are deleted. What else is in it comes back by `docket import` alone.
 */
export const readDocket: Reader = async (source) => {
  const parts = await partsOf(source)
  const names = await namesIn(parts)
  return { statuses: names.categories, rows: rowsIn(parts, names) }
}

type Parts = Record<(typeof PARTS)[number], () => AsyncGenerator<Thing>>

/** Where the parts are; the files behind them are not looked at. */
async function partsOf(source: Source): Promise<Parts> {
  const found = new Map<string, Entry>()
  const read = async (at: number, length: number) =>
    Buffer.concat(await Array.fromAsync(source.bytes(at, Math.min(at + length, source.size))))
  try {
    for await (const entry of entriesOf(read, source.size)) {
      found.set(entry.name, entry)
      if (PARTS.every((part) => found.has(nameOf(part)))) break
    }
  } catch (error) {
    if (error instanceof NoTar) throw new Unreadable(`${DAMAGED}: ${error.message}.`)
    throw error
  }
  const linesOf = (part: (typeof PARTS)[number]) => {
    const name = nameOf(part)
    const entry = found.get(name)
    if (!entry) throw new Unreadable(`${DAMAGED}: ${name} is missing.`)
    if (part === 'comments' && entry.size > MOST_OF_COMMENTS) {
      throw new Unreadable('The archive has too many comments: use docket import.')
    }
    return async function* lines() {
      const bytes = source.bytes(entry.start, entry.start + entry.size)
      for await (const value of valuesOf(bytes, name)) yield thing(value)
    }
  }
  return {
    ...{ members: linesOf('members'), projects: linesOf('projects'), tags: linesOf('tags') },
    ...{ tasks: linesOf('tasks'), comments: linesOf('comments') },
  }
}

const nameOf = (part: string) => `${part}.jsonl`

/** What is called by an id in other lines. */
interface Names {
  /** The address of a person, by which a member is known again, or else the name. */
  people: ReadonlyMap<string, string>
  projects: ReadonlyMap<string, { name: string; statuses: ReadonlyMap<string, string> }>
  tags: ReadonlyMap<string, string>
  /** Of statuses by their names; the first project that has one says. */
  categories: ReadonlyMap<string, StatusCategory>
}

async function namesIn(parts: Parts): Promise<Names> {
  const people = new Map<string, string>()
  for await (const one of parts.members()) {
    people.set(idIn(one), text(one.email) ?? text(one.name) ?? idIn(one))
  }
  const tags = new Map<string, string>()
  for await (const one of parts.tags()) tags.set(idIn(one), text(one.name) ?? '')
  const projects = new Map<string, { name: string; statuses: Map<string, string> }>()
  const categories = new Map<string, StatusCategory>()
  for await (const one of parts.projects()) {
    const statuses = new Map<string, string>()
    for (const { key, name, category } of things(one.statuses)) {
      const called = text(name) ?? ''
      statuses.set(text(key) ?? '', called)
      const known = CATEGORIES.find((it) => it === category)
      if (known && !categories.has(called)) categories.set(called, known)
    }
    projects.set(idIn(one), { name: text(one.name) ?? '', statuses })
  }
  return { people, projects, tags, categories }
}

const CATEGORIES: readonly StatusCategory[] = [
  ...(['backlog', 'unstarted', 'started', 'completed', 'canceled'] as const),
]

async function* rowsIn(parts: Parts, names: Names): AsyncGenerator<Read> {
  const said = await commentsIn(parts, names)
  const deleted = new Set<string>()
  for await (const task of parts.tasks()) if (task.deleted_at !== null) deleted.add(idIn(task))
  let number = 0
  for await (const task of parts.tasks()) {
    number += 1
    const key = idIn(task)
    if (deleted.has(key)) continue
    const row = rowOf(task, number, names)
    row.blocked_by = row.blocked_by.filter((id) => !deleted.has(id))
    if (row.parent !== null && deleted.has(row.parent)) row.parent = null
    yield { row: { ...row, key, comments: said.get(key) ?? [] }, faults: [] }
  }
}

async function commentsIn({ comments }: Parts, { people }: Names): Promise<Map<string, Said[]>> {
  const said = new Map<string, Said[]>()
  for await (const { task_id, author_id, created_at, body } of comments()) {
    const of = text(task_id) ?? ''
    const all = said.get(of) ?? []
    const author = text(author_id)
    all.push({
      author: author && (people.get(author) ?? author),
      at: day(created_at),
      body: text(body) ?? '',
    })
    said.set(of, all)
  }
  return said
}

function rowOf(task: Thing, number: number, { people, projects, tags }: Names): Row {
  const project = projects.get(text(task.project_id) ?? '')
  const seconds = Number(task.estimate_seconds ?? Number.NaN)
  const ids = (value: unknown) =>
    Array.isArray(value) ? value.flatMap((id) => text(id) ?? []) : []
  return {
    ...emptyRow(number),
    project: project?.name ?? '',
    title: text(task.title) ?? '',
    description: text(task.description),
    status: project?.statuses.get(text(task.status) ?? '') ?? null,
    priority: PRIORITIES.find((one) => one === task.priority) ?? 'none',
    assignees: ids(task.assignee_ids).map((id) => people.get(id) ?? id),
    tags: ids(task.tag_ids).flatMap((id) => tags.get(id) ?? []),
    start_date: day(task.start_date),
    due_date: day(task.due_date ?? task.due_at),
    estimate_seconds: Number.isSafeInteger(seconds) ? seconds : null,
    parent: text(task.parent_id),
    blocked_by: ids(task.blocked_by_ids),
  }
}

const PRIORITIES: readonly Row['priority'][] = ['none', 'low', 'medium', 'high', 'urgent']
const idIn = (line: Thing) => text(line.id) ?? ''
