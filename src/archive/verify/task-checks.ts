import type { ArchiveLines } from '../format/line-schemas.ts'
import type { ArchiveIndex } from './archive-index.ts'
import { type AddFault, checkMembers, checkUnique, statusFact } from './line-checks.ts'

type ArchivedTask = ArchiveLines['tasks']

/** First pass: adds a task to the index, so that other lines can refer to it. */
export function indexTask(
  { id, project_id }: ArchivedTask,
  index: ArchiveIndex,
  fail: AddFault,
): void {
  const project = index.projects.numberOf(project_id)
  if (project === undefined) fail('project_id', 'is not in this archive')
  const task = index.tasks.add(id)
  if (task !== undefined) index.projectOfTask[task] = project ?? -1
}

/** Second pass: checks a task against all others. */
export function checkTask(line: ArchivedTask, index: ArchiveIndex, fail: AddFault): void {
  const { id, project_id, status, status_category, deleted_at } = line
  const task = index.tasks.numberOf(id) ?? -1
  const project = index.projectOfTask[task] ?? -1
  const tags = line.tag_ids.map((tag_id) => checkTag(tag_id, project, index, fail))
  for (const { project_id, number } of [line, ...line.former_numbers]) {
    checkNumber(project_id, number, index, fail)
  }
  checkUnique(index, 'position', `${project_id} ${line.position}`, fail)
  checkMembers(
    index,
    { created_by_id: line.created_by_id, completed_by_id: line.completed_by_id },
    fail,
  )
  for (const user_id of line.assignee_ids) checkMembers(index, { assignee_ids: user_id }, fail)
  const parent = checkParent(line, project, index, fail)
  index.parents[task] = parent ?? -1
  for (const blocker_id of line.blocked_by_ids) {
    const blocker = index.tasks.numberOf(blocker_id)
    if (blocker === undefined) fail('blocked_by_ids', 'is not in this archive')
    index.links[0].push(task)
    index.links[1].push(blocker ?? task)
  }
  if (deleted_at !== null) return
  if (index.facts.numberOf(statusFact(project_id, status, status_category)) === undefined) {
    fail('status', 'must be a status of the project with this category')
  }
  if (line.external_id !== null || line.external_source !== null) {
    checkUnique(index, 'external_id', `${line.external_source} ${line.external_id}`, fail)
  }
  index.countLiveTask(project, status_category, tags)
  if (parent === undefined) return
  index.count('subtasks', parent)
  if (status_category === 'completed') index.count('completed', parent)
}

function checkTag(tag_id: string, project: number, index: ArchiveIndex, fail: AddFault): number {
  const tag = index.tags.numberOf(tag_id) ?? -1
  if (tag === -1 || index.projectOfTag[tag] !== project) {
    fail('tag_ids', 'must be a tag of the project')
  }
  return Math.max(tag, 0)
}

function checkNumber(
  project_id: string,
  number: number,
  index: ArchiveIndex,
  fail: AddFault,
): void {
  const project = index.projects.numberOf(project_id)
  if (project === undefined) fail('former_numbers', 'is not in this archive')
  else if (number > (index.lastNumbers[project] ?? 0)) {
    fail('number', 'is greater than the `last_number` of the project')
  }
  checkUnique(index, 'number', `${project_id} ${number}`, fail)
}

/** The parent of a deleted task may have been purged already. */
function checkParent(
  { parent_id, deleted_at }: ArchivedTask,
  project: number,
  index: ArchiveIndex,
  fail: AddFault,
) {
  if (parent_id === null) return undefined
  const parent = index.tasks.numberOf(parent_id)
  if (deleted_at !== null) return parent
  if (parent === undefined) fail('parent_id', 'is not in this archive')
  else if (index.projectOfTask[parent] !== project) {
    fail('parent_id', 'must be a task of the same project')
  }
  return parent
}

/** The number of a task in a cycle of parents, if there is one. */
export function findParentCycle({ parents }: ArchiveIndex): number | undefined {
  const links: TaskLinks = [[], []]
  for (const [task, parent] of parents.entries()) {
    if (parent === -1) continue
    links[0].push(task)
    links[1].push(parent)
  }
  return findCycle(links, parents.length)
}

/** The number of a task in a cycle of blockers, if there is one. */
export const findBlockerCycle = ({ links, parents }: ArchiveIndex): number | undefined =>
  findCycle(links, parents.length)

type TaskLinks = ArchiveIndex['links']

/** Topological sort (Kahn): removes nodes without incoming links until only cycles are left. */
function findCycle([from, to]: TaskLinks, count: number): number | undefined {
  const incoming = new Int32Array(count)
  for (const one of to) incoming[one] = (incoming[one] ?? 0) + 1
  const order = Int32Array.from(from.keys()).sort((a, b) => (from[a] ?? 0) - (from[b] ?? 0))
  const offsets = new Int32Array(count + 1)
  for (const one of from) offsets[one + 1] = (offsets[one + 1] ?? 0) + 1
  for (let at = 0; at < count; at += 1) {
    offsets[at + 1] = (offsets[at + 1] ?? 0) + (offsets[at] ?? 0)
  }
  const free: number[] = []
  for (const [one, links] of incoming.entries()) if (links === 0) free.push(one)
  for (let one = free.pop(); one !== undefined; one = free.pop()) {
    for (let at = offsets[one] ?? 0; at < (offsets[one + 1] ?? 0); at += 1) {
      const next = to[order[at] ?? 0] ?? 0
      incoming[next] = (incoming[next] ?? 0) - 1
      if (incoming[next] === 0) free.push(next)
    }
  }
  const cyclic = incoming.findIndex((links) => links > 0)
  return cyclic === -1 ? undefined : cyclic
}
