import { foldCase } from '#lib/fold-case.ts'
import { validateRedirectUris } from '#resources/applications/internal.ts'
import type { ArchiveLines, ArchivePart } from '../format/line-schemas.ts'
import type { ArchiveIndex } from './archive-index.ts'

/** The limit for a workspace (docs/spec/api.md#types-and-codes). All applications become usable in one transaction. */
const MAX_APPLICATIONS = 50

/** Reports a fault of the current line. `why` follows the name of the field in the message. */
export type AddFault = (field: string, why: string) => void

/** Checks a line against the lines before it, and adds the line to the index. */
export type LineCheck<P extends ArchivePart> = (
  line: ArchiveLines[P],
  index: ArchiveIndex,
  fail: AddFault,
) => void

const UNKNOWN_REFERENCE = 'is not in this archive'
const DUPLICATE = 'is already on an earlier line'

/**
 * The checks of every part but the tasks, which need two passes because they may refer to later
 * tasks.
 */
export const LINE_CHECKS: { [P in Exclude<ArchivePart, 'tasks'>]: LineCheck<P> } = {
  workspace: ({ last_sequence, log_from_sequence }, _, fail) => {
    if (log_from_sequence > last_sequence + 1)
      fail('log_from_sequence', 'is greater than `last_sequence`')
  },

  members: ({ id, email, role, removed_at }, index, fail) => {
    index.members.add(id)
    checkUnique(index, 'email', email, fail)
    if (role === 'owner' && removed_at === null) index.owners += 1
  },

  projects(line, index, fail) {
    const project = index.projects.add(line.id)
    if (project !== undefined) index.lastNumbers[project] = line.last_number
    for (const prefix of [line.prefix, ...line.former_prefixes])
      checkUnique(index, 'prefix', prefix, fail)
    for (const { key, category } of line.statuses) {
      index.facts.add(statusFact(line.id, key, category))
    }
    checkMembers(index, { lead_id: line.lead_id, created_by_id: line.created_by_id }, fail)
    for (const id of line.people_ids) checkMembers(index, { people_ids: id }, fail)
  },

  tags(line, index, fail) {
    const project = index.projects.numberOf(line.project_id)
    if (project === undefined) fail('project_id', UNKNOWN_REFERENCE)
    const tag = index.tags.add(line.id)
    if (tag !== undefined) index.projectOfTag[tag] = project ?? -1
    checkUnique(index, 'name', `${line.project_id} ${foldCase(line.name)}`, fail)
    checkMembers(index, { created_by_id: line.created_by_id }, fail)
  },

  views({ project_id, created_by_id, only_for, pinned_by }, index, fail) {
    if (index.projects.numberOf(project_id) === undefined) fail('project_id', UNKNOWN_REFERENCE)
    checkMembers(index, { created_by_id, only_for: only_for || null }, fail)
    for (const { user_id } of pinned_by) checkMembers(index, { pinned_by: user_id }, fail)
  },

  templates(line, index, fail) {
    if (index.projects.numberOf(line.project_id) === undefined)
      fail('project_id', UNKNOWN_REFERENCE)
    checkMembers(index, { created_by_id: line.created_by_id }, fail)
    for (const [at, { parent, blocked_by }] of line.tasks.entries()) {
      const isParentValid = at === 0 ? parent === null : parent !== null && parent < at
      const areBlockersValid = blocked_by.every((one) => one !== at && one < line.tasks.length)
      if (!isParentValid || !areBlockersValid)
        fail('tasks', 'must refer to earlier parents and to other tasks of the template')
    }
  },

  comments(line, index, fail) {
    const task = requireTask(line, index, fail)
    index.count('comments', task)
    checkMembers(index, { author_id: line.author_id }, fail)
    for (const id of line.mentions) checkMembers(index, { mentions: id }, fail)
  },

  time_entries(line, index, fail) {
    const task = requireTask(line, index, fail)
    index.count('seconds', task, line.duration_seconds ?? 0)
    checkMembers(index, { user_id: line.user_id, created_by_id: line.created_by_id }, fail)
    if (line.duration_seconds !== null) return
    if (line.started_at === null) fail('started_at', 'is required for a running timer')
    checkUnique(index, 'user_id', `of a timer ${line.user_id}`, fail)
  },

  activity(line, index, fail) {
    requireTask(line, index, fail)
    checkMembers(index, { actor_id: line.actor_id }, fail)
  },

  events({ former_project_id, event }, index, fail) {
    const projectIds = { 'event.project_id': event.project_id, former_project_id }
    for (const [field, id] of Object.entries(projectIds)) {
      if (id !== null && index.projects.numberOf(id) === undefined) fail(field, UNKNOWN_REFERENCE)
    }
    if (index.ids.numberOf(event.workspace_id) !== 0) {
      fail('event.workspace_id', 'must be the id of this workspace')
    }
    if (index.ids.add(event.id) === undefined) fail('event.id', DUPLICATE)
  },

  webhooks(line, index, fail) {
    checkMembers(index, { created_by_id: line.created_by_id }, fail)
    for (const id of line.project_ids ?? []) {
      if (index.projects.numberOf(id) === undefined) fail('project_ids', UNKNOWN_REFERENCE)
    }
  },

  applications(line, index, fail) {
    index.applications += 1
    if (index.applications > MAX_APPLICATIONS) {
      fail('id', `exceeds the limit of ${MAX_APPLICATIONS} applications`)
    }
    checkMembers(index, { created_by_id: line.created_by_id }, fail)
    for (const { field, message } of validateRedirectUris(line.redirect_uris, line.type)) {
      fail(field, `is invalid: ${message}`)
    }
  },

  attachments(line, index, fail) {
    index.count('attachments', requireTask(line, index, fail))
    index.attachmentBytes += line.size_bytes
    if (line.file === 'here') index.presentFiles += 1
    else index.lostFiles += 1
    checkMembers(index, { created_by_id: line.created_by_id }, fail)
  },
}

/** The key of a project status among the facts of the index. */
export const statusFact = (project_id: string, key: string, category: string): string =>
  `status ${project_id} ${key} ${category}`

/** Reports a value that an earlier line already has in this field. */
export function checkUnique(
  index: ArchiveIndex,
  field: string,
  value: string,
  fail: AddFault,
): void {
  if (index.facts.add(`${field} ${value}`) === undefined) fail(field, DUPLICATE)
}

/** Reports ids of people who are not among the members. */
export function checkMembers(
  index: ArchiveIndex,
  userIds: Readonly<Record<string, string | null>>,
  fail: AddFault,
): void {
  for (const [field, id] of Object.entries(userIds)) {
    if (id !== null && index.members.numberOf(id) === undefined) {
      fail(field, 'is not in members.jsonl')
    }
  }
}

function requireTask(
  { task_id }: { task_id: string },
  index: ArchiveIndex,
  fail: AddFault,
): number {
  const task = index.tasks.numberOf(task_id)
  if (task === undefined) fail('task_id', UNKNOWN_REFERENCE)
  return task ?? 0
}
