import { useQuery } from '@tanstack/react-query'
import type { createTag, deleteTag, listProjectTags, Tag } from '#resources/tags/contract.ts'
import { HUES } from '../../lib/browser/hue.ts'
import { requestEndpoint, requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { atom } from '../../lib/state/atom.ts'
import { mutationMessages } from '../../messages/app/mutations.ts'
import { queryClient } from '../cache/query-client.ts'
import { recordOwnOperation } from '../live/own-operations.ts'
import { deleteWithUndo } from '../mutations/record-mutations.ts'

export type { Tag }

const NO_TAGS: readonly Tag[] = []

/** The tags of a project by name, at most 500; empty until they are loaded. */
export function useTags(project_id: string | undefined): readonly Tag[] {
  const { data } = useQuery({
    queryKey: ['tags', project_id],
    queryFn: () => fetchAllTags(project_id ?? ''),
    enabled: project_id !== undefined,
  })
  // The same array before and after, so that the rows of a project without tags render only once.
  return data && data.length > 0 ? data : NO_TAGS
}

/** The tags of a project, fetched once, e.g. for a menu. Rejects if they cannot be loaded. */
export const fetchTags = (id: string): Promise<readonly Tag[]> =>
  queryClient.fetchQuery({ queryKey: ['tags', id], queryFn: () => fetchAllTags(id) })

async function fetchAllTags(id: string): Promise<Tag[]> {
  const tags: Tag[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { limit: 200, ...(cursor !== undefined && { cursor }) }
    const page = await requestEndpoint<typeof listProjectTags>('GET /api/v1/projects/:id/tags', {
      params: { id },
      query,
    })
    tags.push(...page.data)
    cursor = page.next_cursor
  }
  return tags
}

/** Creates a tag in the color that the project uses least. Throws if the server rejects it. */
export async function createProjectTag(
  project_id: string,
  name: string,
  idempotencyKey: string = crypto.randomUUID(),
): Promise<Tag> {
  const known = queryClient.getQueryData<Tag[]>(['tags', project_id]) ?? []
  const color = leastUsedColor(known)
  const sent = { params: { id: project_id }, body: { name, color } }
  const { body, operation_id } = await requestEndpointForResult<typeof createTag>(
    'POST /api/v1/projects/:id/tags',
    sent,
    { idempotencyKey },
  )
  recordOwnOperation(operation_id)
  queryClient.setQueryData<Tag[]>(['tags', project_id], (tags = []) => [
    ...tags.filter(({ id }) => id !== body.id),
    body,
  ])
  return body
}

/** Tags whose deletion can still be undone. */
export const hiddenTags = atom<ReadonlySet<string>>(new Set())

/**
 * Hides a tag and deletes it when its toast ends. The live event about the deletion is not ignored
 * as an own one, because it refetches the lists that show the tag.
 */
export function deleteTagWithUndo({ id, name, project_id }: Tag): void {
  const to = 'DELETE /api/v1/tags/:id'
  deleteWithUndo(mutationMessages.tagDeleted(name), {
    ...{ id, hidden: hiddenTags },
    send: (options) => requestEndpoint<typeof deleteTag>(to, { params: { id } }, options),
    onDeleted: () => void queryClient.invalidateQueries({ queryKey: ['tags', project_id] }),
  })
}

function leastUsedColor(tags: readonly Tag[]): string {
  const uses = (color: string) => tags.filter((tag) => tag.color === color).length
  const colors = Object.values<string>(HUES)
  return colors.reduce((best, one) => (uses(one) < uses(best) ? one : best))
}
