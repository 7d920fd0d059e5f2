import { fold } from '#lib/fold.ts'
import { faultsOfRedirects } from '#resources/applications/internal.ts'
import type { Census } from './census.ts'
import type { Lines, Part } from './lines.ts'

/** The most that a workspace may have (contract 2.2): all become usable in one transaction. */
const MOST_APPLICATIONS = 50

/** Notes what is wrong with the line that is looked at; `why` follows the name of the field. */
export type Fail = (field: string, why: string) => void

/** Whether a line goes together with those before it; notes in the census what it adds. */
type Check<P extends Part> = (line: Lines[P], census: Census, fail: Fail) => void

const UNKNOWN = 'names what is not in this archive'
const TAKEN = 'is there already, on a line before'

/** Every part but the tasks, which name those that come after them: `tasks.ts` has theirs. */
export const CHECKS: { [P in Exclude<Part, 'tasks'>]: Check<P> } = {
  workspace: ({ last_sequence, log_from_sequence }, _, fail) => {
    if (log_from_sequence > last_sequence + 1) fail('log_from_sequence', 'is beyond last_sequence')
  },

  members: ({ id, email, role, removed_at }, census, fail) => {
    census.members.add(id)
    once(census, 'email', email, fail)
    if (role === 'owner' && removed_at === null) census.owners += 1
  },

  projects(line, census, fail) {
    const project = census.projects.add(line.id)
    if (project !== undefined) census.lastNumbers[project] = line.last_number
    for (const prefix of [line.prefix, ...line.former_prefixes])
      once(census, 'prefix', prefix, fail)
    for (const { key, category } of line.statuses) {
      census.facts.add(statusFact(line.id, key, category))
    }
    people(census, { lead_id: line.lead_id, created_by_id: line.created_by_id }, fail)
    for (const id of line.people_ids) people(census, { people_ids: id }, fail)
  },

  tags(line, census, fail) {
    const project = census.projects.of(line.project_id)
    if (project === undefined) fail('project_id', UNKNOWN)
    const tag = census.tags.add(line.id)
    if (tag !== undefined) census.projectOfTag[tag] = project ?? -1
    once(census, 'name', `${line.project_id} ${fold(line.name)}`, fail)
    people(census, { created_by_id: line.created_by_id }, fail)
  },

  views({ project_id, created_by_id, only_for, pinned_by }, census, fail) {
    if (census.projects.of(project_id) === undefined) fail('project_id', UNKNOWN)
    people(census, { created_by_id, only_for: only_for || null }, fail)
    for (const { user_id } of pinned_by) people(census, { pinned_by: user_id }, fail)
  },

  templates(line, census, fail) {
    if (census.projects.of(line.project_id) === undefined) fail('project_id', UNKNOWN)
    people(census, { created_by_id: line.created_by_id }, fail)
    for (const [at, { parent, blocked_by }] of line.tasks.entries()) {
      const isTop = at === 0 ? parent === null : parent !== null && parent < at
      const isThere = blocked_by.every((one) => one !== at && one < line.tasks.length)
      if (!isTop || !isThere) fail('tasks', 'does not hang together')
    }
  },

  comments(line, census, fail) {
    const task = taskOf(line, census, fail)
    census.count('comments', task)
    people(census, { author_id: line.author_id }, fail)
    for (const id of line.mentions) people(census, { mentions: id }, fail)
  },

  time_entries(line, census, fail) {
    const task = taskOf(line, census, fail)
    census.count('seconds', task, line.duration_seconds ?? 0)
    people(census, { user_id: line.user_id, created_by_id: line.created_by_id }, fail)
    if (line.duration_seconds !== null) return
    if (line.started_at === null) fail('started_at', 'is missing of a timer that runs')
    once(census, 'user_id', `of a timer ${line.user_id}`, fail)
  },

  activity(line, census, fail) {
    taskOf(line, census, fail)
    people(census, { actor_id: line.actor_id }, fail)
  },

  events({ former_project_id, event }, census, fail) {
    const named = { 'event.project_id': event.project_id, former_project_id }
    for (const [field, id] of Object.entries(named)) {
      if (id !== null && census.projects.of(id) === undefined) fail(field, UNKNOWN)
    }
    if (census.ids.of(event.workspace_id) !== 0) {
      fail('event.workspace_id', 'names another workspace')
    }
    if (census.ids.add(event.id) === undefined) fail('event.id', TAKEN)
  },

  webhooks(line, census, fail) {
    people(census, { created_by_id: line.created_by_id }, fail)
    for (const id of line.project_ids ?? []) {
      if (census.projects.of(id) === undefined) fail('project_ids', UNKNOWN)
    }
  },

  applications(line, census, fail) {
    census.applications += 1
    if (census.applications > MOST_APPLICATIONS) {
      fail('id', `is one too many: a workspace has at most ${MOST_APPLICATIONS} applications`)
    }
    people(census, { created_by_id: line.created_by_id }, fail)
    for (const { field, message } of faultsOfRedirects(line.redirect_uris, line.type)) {
      fail(field, `cannot be: ${message}`)
    }
  },

  attachments(line, census, fail) {
    census.count('attachments', taskOf(line, census, fail))
    census.bytes += line.size_bytes
    census[line.file === 'here' ? 'filesHere' : 'filesLost'] += 1
    people(census, { created_by_id: line.created_by_id }, fail)
  },
}

/** The status of a project, as a fact of the census. */
export const statusFact = (project_id: string, key: string, category: string): string =>
  `status ${project_id} ${key} ${category}`

/** Notes what is there a second time: of a kind there may be each value once. */
export function once(census: Census, field: string, value: string, fail: Fail): void {
  if (census.facts.add(`${field} ${value}`) === undefined) fail(field, TAKEN)
}

/** Notes people who are not among the members. */
export function people(
  census: Census,
  named: Readonly<Record<string, string | null>>,
  fail: Fail,
): void {
  for (const [field, id] of Object.entries(named)) {
    if (id !== null && census.members.of(id) === undefined) {
      fail(field, 'names nobody of members.jsonl')
    }
  }
}

function taskOf({ task_id }: { task_id: string }, census: Census, fail: Fail): number {
  const task = census.tasks.of(task_id)
  if (task === undefined) fail('task_id', UNKNOWN)
  return task ?? 0
}
