import type { Census } from './census.ts'
import { type Fail, once, people, statusFact } from './checks.ts'
import type { Lines } from './lines.ts'

type Line = Lines['tasks']

/** The first look at a task: from then on it can be named. */
export function meetTask({ id, project_id }: Line, census: Census, fail: Fail): void {
  const project = census.projects.of(project_id)
  if (project === undefined) fail('project_id', 'names what is not in this archive')
  const task = census.tasks.add(id)
  if (task !== undefined) census.projectOfTask[task] = project ?? -1
}

/** The second: whether it goes together with all others. */
export function checkTask(line: Line, census: Census, fail: Fail): void {
  const { id, project_id, status, status_category, deleted_at } = line
  const task = census.tasks.of(id) ?? -1
  const project = census.projectOfTask[task] ?? -1
  const tags = line.tag_ids.map((tag_id) => tagIn(tag_id, project, census, fail))
  for (const { project_id, number } of [line, ...line.former_numbers]) {
    numbered(project_id, number, census, fail)
  }
  once(census, 'position', `${project_id} ${line.position}`, fail)
  people(census, { created_by_id: line.created_by_id, completed_by_id: line.completed_by_id }, fail)
  for (const user_id of line.assignee_ids) people(census, { assignee_ids: user_id }, fail)
  const parent = parentOf(line, project, census, fail)
  census.parents[task] = parent ?? -1
  for (const blocker_id of line.blocked_by_ids) {
    const blocker = census.tasks.of(blocker_id)
    if (blocker === undefined) fail('blocked_by_ids', 'names a task that is not in this archive')
    census.links[0].push(task)
    census.links[1].push(blocker ?? task)
  }
  if (deleted_at !== null) return
  if (census.facts.of(statusFact(project_id, status, status_category)) === undefined) {
    fail('status', 'is no status of the project in that category')
  }
  if (line.external_id !== null || line.external_source !== null) {
    once(census, 'external_id', `${line.external_source} ${line.external_id}`, fail)
  }
  census.countLive(project, status_category, tags)
  if (parent === undefined) return
  census.count('subtasks', parent)
  if (status_category === 'completed') census.count('completed', parent)
}

function tagIn(tag_id: string, project: number, census: Census, fail: Fail): number {
  const tag = census.tags.of(tag_id) ?? -1
  if (tag === -1 || census.projectOfTag[tag] !== project) {
    fail('tag_ids', 'names what is no tag of the project')
  }
  return Math.max(tag, 0)
}

function numbered(project_id: string, number: number, census: Census, fail: Fail): void {
  const project = census.projects.of(project_id)
  if (project === undefined) fail('former_numbers', 'names what is not in this archive')
  else if (number > (census.lastNumbers[project] ?? 0)) {
    fail('number', 'is beyond the last_number of the project')
  }
  once(census, 'number', `${project_id} ${number}`, fail)
}

/** Of a deleted task the parent may be gone for good already. */
function parentOf({ parent_id, deleted_at }: Line, project: number, census: Census, fail: Fail) {
  if (parent_id === null) return undefined
  const parent = census.tasks.of(parent_id)
  if (deleted_at !== null) return parent
  if (parent === undefined) fail('parent_id', 'names a task that is not in this archive')
  else if (census.projectOfTask[parent] !== project) {
    fail('parent_id', 'names a task of another project')
  }
  return parent
}

/** The number of a task that is its own ancestor, if there is one. */
export function ownAncestor({ parents }: Census): number | undefined {
  const links: Links = [[], []]
  for (const [task, parent] of parents.entries()) {
    if (parent === -1) continue
    links[0].push(task)
    links[1].push(parent)
  }
  return inCircle(links, parents.length)
}

/** The number of a task that waits for itself, by way of others or not. */
export const ownBlocker = ({ links, parents }: Census): number | undefined =>
  inCircle(links, parents.length)

type Links = Census['links']

/** Takes away, again and again, what no link leads to any more: what is left leads round in circles. */
function inCircle([from, to]: Links, count: number): number | undefined {
  const leading = new Int32Array(count)
  for (const one of to) leading[one] = (leading[one] ?? 0) + 1
  const order = Int32Array.from(from.keys()).sort((a, b) => (from[a] ?? 0) - (from[b] ?? 0))
  const begins = new Int32Array(count + 1)
  for (const one of from) begins[one + 1] = (begins[one + 1] ?? 0) + 1
  for (let at = 0; at < count; at += 1) begins[at + 1] = (begins[at + 1] ?? 0) + (begins[at] ?? 0)
  const free: number[] = []
  for (const [one, many] of leading.entries()) if (many === 0) free.push(one)
  for (let one = free.pop(); one !== undefined; one = free.pop()) {
    for (let at = begins[one] ?? 0; at < (begins[one + 1] ?? 0); at += 1) {
      const next = to[order[at] ?? 0] ?? 0
      leading[next] = (leading[next] ?? 0) - 1
      if (leading[next] === 0) free.push(next)
    }
  }
  const left = leading.findIndex((many) => many > 0)
  return left === -1 ? undefined : left
}
