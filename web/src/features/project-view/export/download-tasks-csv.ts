import type { Member } from '#resources/members/contract.ts'
import type { listProjectTasks } from '#resources/tasks/contract.ts'
import type { Task } from '#resources/tasks/fields.ts'
import { fetchAllPages } from '../../../data/cache/fetch-all-pages.ts'
import { fetchTags } from '../../../data/resources/tags.ts'
import { formatDuration } from '../../../lib/dates/duration.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { downloadCsv } from '../../../lib/text/csv.ts'
import { VALUE_PROPERTIES, type ValueDefinition } from '../../property-definitions.ts'
import type { FilterContext, FilterParams } from '../filter/filter-query.ts'

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
  const fields = [...new Set(tasks.flatMap((task) => Object.keys(task.custom_fields)))].toSorted()
  // The headers are always in English, because the CSV import recognizes the columns by these names.
  const columns: [header: string, cellOf: (task: Task) => string][] = [
    ['ID', (task) => task.short_id],
    ['Title', (task) => task.title],
    ['Description', (task) => task.description ?? ''],
    ['Status', (task) => statuses.get(task.status) ?? ''],
    ['Priority', (task) => task.priority],
    ['Assignees', (task) => joinLabels(task.assignee_ids, people)],
    ['Tags', (task) => joinLabels(task.tag_ids, tags)],
    ['Start date', (task) => task.start_date ?? ''],
    ['Due date', (task) => task.due_date ?? ''],
    ...VALUE_PROPERTIES.map(({ id, format }): (typeof columns)[number] => [
      id.charAt(0).toUpperCase() + id.slice(1),
      EXACT_FORMATS[id] ?? format,
    ]),
    ['Parent', (task) => (task.parent_id === null ? '' : joinLabels([task.parent_id], shortIds))],
    ['Blocked by', (task) => joinLabels(task.blocked_by_ids, shortIds)],
    ['Completed', (task) => task.completed_at ?? ''],
    // A column of another name is a custom field for the import, too.
    ...fields.map((name): (typeof columns)[number] => [
      name,
      ({ custom_fields: { [name]: value = '' } }) => String(value),
    ]),
  ]
  const rowOf = (task: Task) => columns.map(([, cellOf]) => cellOf(task))
  downloadCsv(`${project.name}.csv`, [columns.map(([header]) => header), ...tasks.map(rowOf)])
}

/** Formats of properties whose text on the screen is rounded. */
const EXACT_FORMATS: Partial<Record<ValueDefinition['id'], ValueDefinition['format']>> = {
  estimate: ({ estimate_seconds: seconds }) => {
    if (seconds === null) return ''
    return seconds % 60 > 0 ? `${seconds}s` : formatDuration(seconds)
  },
}
