import { viewMessages } from '../../../messages/tasks/views.ts'
import { copyText } from '../../../ui/form/copy-button.tsx'
import type { FilterParams } from '../filter/filter-query.ts'

/** Copies the request for the tasks of a view as a curl command for an API key. */
export async function copyCurlCommand(
  project_id: string,
  { params, sort }: { params: FilterParams; sort: string },
): Promise<void> {
  const pairs = Object.entries({ ...params, sort }).map(([name, value]) => [name, String(value)])
  const search = String(new URLSearchParams(pairs)).replaceAll('%2C', ',')
  const address = `${location.origin}/api/v1/projects/${project_id}/tasks?${search}`
  const command = `curl -H "Authorization: Bearer $DOCKET_KEY" '${address}'`
  await copyText(command, viewMessages.copiedRequest)
}
