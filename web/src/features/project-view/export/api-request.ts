import { type FilterContext, toFilterQuery } from '../filter/filter-query.ts'
import { formatSort, type ProjectView } from '../project-view.ts'

/** Sort keys that the public API supports; only the app's internal index supports the others. */
const API_SORT_KEYS = ['position', 'created_at', 'updated_at', 'due_date', 'priority', 'number']

/** A view as query parameters of the public API; undefined if the API cannot express it. */
export function toApiQuery(view: ProjectView, meaning: FilterContext) {
  const { api, indexOnly } = toFilterQuery(view.filter, meaning)
  if (Object.keys(indexOnly).length > 0 || !API_SORT_KEYS.includes(view.sort)) return undefined
  return { params: api, sort: formatSort(view) }
}
