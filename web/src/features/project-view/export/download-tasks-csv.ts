import type { Member } from '#resources/members/contract.ts'
import type { listProjectTasks } from '#resources/tasks/contract.ts'
import type { Task } from '#resources/tasks/fields.ts'
import { fetchAllPages } from '../../../data/cache/fetch-all-pages.ts'
import { fetchTags } from '../../../data/resources/tags.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { downloadCsv } from '../../../lib/text/csv.ts'
import type { FilterContext, FilterParams } from '../filter/filter-query.ts'

/** Always in English, because the CSV import recognizes the columns by these names. */
const HEADERS = [
  'ID',
  'Title',
  'Description',
  'Status',
  'Priority',
  'Assignees',
  'Tags',
  'Start date',
  'Due date',
  'Estimate',
  'Parent',
  'Blocked by',
  'Completed',
]

interface CsvExportOptions {
  project: { id: string; name: string }
  params: FilterParams
  sort: string
  meaning: FilterContext
  boot: { members: readonly Pick<Member, 'id' | 'email' | 'name'>[] }
}

/** Downloads the tasks of a view as CSV that the import can turn back into the same tasks. */
export async function downloadTasksCsv({
  project,
  params,
  sort,
  meaning,
  boot,
}: CsvExportOptions): Promise<void> {
  const tasks = await fetchAllPages((page) => {
    const query = { ...params, ...page, sort } as Parameters<
      typeof requestEndpoint<typeof listProjectTasks>
    >[1]['query']
    const request = { params: { id: project.id }, ...(query && { query }) }
    return requestEndpoint<typeof listProjectTasks>('GET /api/v1/projects/:id/tasks', request)
  })
  // The page may not have loaded the tags yet.
  const projectTags = await fetchTags(project.id)
  const labelsById = <T extends { id: string }>(all: readonly T[], nameOf: (one: T) => string) =>
    new Map(all.map((one) => [one.id, nameOf(one)]))
  const people = labelsById(boot.members, ({ email, name }) => email ?? name)
  const tags = labelsById(projectTags, ({ name }) => name)
  const shortIds = labelsById(tasks, ({ short_id }) => short_id)
  const statuses = new Map(meaning.statuses.map(({ key, name }) => [key, name]))
  const joinLabels = (ids: readonly string[], labels: ReadonlyMap<string, string>) =>
    ids.map((id) => labels.get(id) ?? id).join(', ')
  const rowOf = (task: Task) => [
    task.short_id,
    task.title,
    task.description ?? '',
    statuses.get(task.status) ?? '',
    task.priority,
    joinLabels(task.assignee_ids, people),
    joinLabels(task.tag_ids, tags),
    task.start_date ?? '',
    task.due_date ?? '',
    formatEstimate(task.estimate_seconds),
    task.parent_id === null ? '' : joinLabels([task.parent_id], shortIds),
    joinLabels(task.blocked_by_ids, shortIds),
    task.completed_at ?? '',
  ]
  downloadCsv(`${project.name}.csv`, [HEADERS, ...tasks.map(rowOf)])
}

/** Formats as `1h 30m`, or in seconds if they do not make whole minutes. */
function formatEstimate(seconds: number | null): string {
  if (seconds === null) return ''
  if (seconds % 60 > 0) return `${seconds}s`
  const hours = Math.floor(seconds / 3_600)
  const minutes = (seconds % 3_600) / 60
  return [hours > 0 && `${hours}h`, (minutes > 0 || hours === 0) && `${minutes}m`]
    .filter(Boolean)
    .join(' ')
}
