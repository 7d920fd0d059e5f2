import { searchOf } from '../../data/project-index.ts'
import { type Meaning, queryOf } from './filter-query.ts'
import { sortText, type View } from './view.ts'

/** Sort keys that the API has for the tasks of a project; the others are of the app's own index. */
const OF_API = ['position', 'created_at', 'updated_at', 'due_date', 'priority', 'number']

/** What the API is asked for by a view; undefined where it cannot be asked for it. */
export function askedBy(view: View, meaning: Meaning) {
  const { api, beyond } = queryOf(view.filter, meaning)
  if (Object.keys(beyond).length > 0 || !OF_API.includes(view.sort)) return undefined
  return { asked: api, sort: sortText(view) }
}

/** The view as a request that anybody with a key can send; undefined where the API cannot be asked for it. */
export function apiRequest(project_id: string, view: View, meaning: Meaning): string | undefined {
  const found = askedBy(view, meaning)
  if (!found) return undefined
  const search = searchOf({ ...found.asked, sort: found.sort })
  const address = `${location.origin}/api/v1/projects/${project_id}/tasks?${search}`
  return `curl -H "Authorization: Bearer $DOCKET_KEY" '${address}'`
}
