import type { listTasksOfProject } from '#resources/tasks/contract.ts'
import type { Task } from '#resources/tasks/fields.ts'
import type { Boot } from '../../data/boot.ts'
import { allPages } from '../../data/pages.ts'
import { tagsOf } from '../../data/tags.ts'
import { call } from '../../lib/call.ts'
import { saveCsv } from '../../lib/csv.ts'
import type { Asked, Meaning } from './filter-query.ts'

/** Named in English whatever the language: an import knows the columns by these. */
const HEADERS = [
  ...['ID', 'Title', 'Description', 'Status', 'Priority', 'Assignees', 'Tags', 'Start date'],
  ...['Due date', 'Estimate', 'Parent', 'Blocked by', 'Completed'],
]

interface Wanted {
  project: { id: string; name: string }
  asked: Asked['api']
  sort: string
  meaning: Meaning
  boot: Boot
}

/** Saves the tasks of a view as a table, out of which an import makes the same tasks. */
export async function saveTasks({ project, asked, sort, meaning, boot }: Wanted): Promise<void> {
  const tasks = await allPages((page) => {
    const query = { ...asked, ...page, sort } as Parameters<
      typeof call<typeof listTasksOfProject>
    >[1]['query']
    const sent = { params: { id: project.id }, ...(query && { query }) }
    return call<typeof listTasksOfProject>('GET /api/v1/projects/:id/tasks', sent)
  })
  // The screen may not have them yet.
  const known = await tagsOf(project.id)
  const named = <T extends { id: string }>(all: readonly T[], nameOf: (one: T) => string) =>
    new Map(all.map((one) => [one.id, nameOf(one)]))
  const people = named(boot.members, ({ email, name }) => email ?? name)
  const tags = named(known, ({ name }) => name)
  const shorts = named(tasks, ({ short_id }) => short_id)
  const statuses = new Map(meaning.statuses.map(({ key, name }) => [key, name]))
  const names = (ids: readonly string[], of: ReadonlyMap<string, string>) =>
    ids.map((id) => of.get(id) ?? id).join(', ')
  const rowOf = (task: Task) => [
    ...[task.short_id, task.title, task.description ?? '', statuses.get(task.status) ?? ''],
    ...[task.priority, names(task.assignee_ids, people), names(task.tag_ids, tags)],
    ...[task.start_date ?? '', task.due_date ?? '', estimateOf(task.estimate_seconds)],
    task.parent_id === null ? '' : names([task.parent_id], shorts),
    ...[names(task.blocked_by_ids, shorts), task.completed_at ?? ''],
  ]
  saveCsv(`${project.name}.csv`, [HEADERS, ...tasks.map(rowOf)])
}

/** `1h 30m`, or seconds where it is no whole minute. */
function estimateOf(seconds: number | null): string {
  if (seconds === null) return ''
  if (seconds % 60 > 0) return `${seconds}s`
  const hours = Math.floor(seconds / 3_600)
  const minutes = (seconds % 3_600) / 60
  return [hours > 0 && `${hours}h`, (minutes > 0 || hours === 0) && `${minutes}m`]
    .filter(Boolean)
    .join(' ')
}
