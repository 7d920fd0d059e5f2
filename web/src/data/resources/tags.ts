import { useQuery } from '@tanstack/react-query'
import type { listNumberedChanges } from '#resources/changes/contract.ts'
import type { createTag, listProjectTags, Tag, updateTag } from '#resources/tags/contract.ts'
import { HUES } from '../../lib/browser/hue.ts'
import {
  type CallInput,
  requestEndpoint,
  requestEndpointForResult,
} from '../../lib/http/request-endpoint.ts'
import { mutationMessages } from '../../messages/app/mutations.ts'
import { fetchAllPages } from '../cache/fetch-all-pages.ts'
import { invalidate, queryClient } from '../cache/query-client.ts'
import { mutationLog } from '../mutations/mutation-queue.ts'
import { useWithPendingPatches, withPendingPatches } from '../mutations/pending-patches.ts'
import type { Task } from '../tasks/task-patch.ts'

export type { Tag }

const NO_TAGS: readonly Tag[] = []

export const tagsQuery = (project_id: string) => ({
  queryKey: ['tags', project_id],
  queryFn: () => fetchAllTags(project_id),
})

/** The tags of a project by name, at most 500; empty until they are loaded. */
export function useTags(project_id: string | undefined): readonly Tag[] {
  const { data } = useQuery({
    ...tagsQuery(project_id ?? ''),
    enabled: project_id !== undefined,
  })
  // The same array before and after, so that the rows of a project without tags render only once.
  const tags = useWithPendingPatches(data)
  return tags && tags.length > 0 ? tags : NO_TAGS
}

/** The tags of a project, or without one those of all projects that the person sees. */
export function useTagsOfProjectOrAll(project_id: string | undefined): readonly Tag[] {
  const { data } = useQuery(project_id === undefined ? allTagsQuery : tagsQuery(project_id))
  const tags = useWithPendingPatches(data)
  return tags && tags.length > 0 ? tags : NO_TAGS
}

const allTagsQuery = { queryKey: ['tags', 'all'], queryFn: fetchTagsOfAllProjects }

/** The feed of changes begins with all records: no list of the API has the tags of several projects. */
async function fetchTagsOfAllProjects(): Promise<Tag[]> {
  const tags: Tag[] = []
  let after: string | undefined
  for (;;) {
    const query = { types: ['tag' as const], limit: 500, ...(after && { after }) }
    const page = await requestEndpoint<typeof listNumberedChanges>('GET /internal/changes', {
      query,
    })
    for (const { record } of page.data) if (record) tags.push(record as Tag)
    after = page.position
    if (!page.has_more) return tags.toSorted((a, b) => a.name.localeCompare(b.name))
  }
}

/** The tags of a project, fetched once, e.g. for a menu. Rejects if they cannot be loaded. */
export const fetchTags = async (id: string): Promise<readonly Tag[]> =>
  withPendingPatches(await queryClient.fetchQuery(tagsQuery(id)))

const fetchAllTags = (id: string): Promise<Tag[]> =>
  fetchAllPages((query) => {
    const sent = { params: { id }, query }
    return requestEndpoint<typeof listProjectTags>('GET /api/v1/projects/:id/tags', sent)
  })

export type NewTag = CallInput<typeof createTag>['body']
export type TagPatch = CallInput<typeof updateTag>['body']

/** A new tag in the color that the project uses least. */
export const toNewTag = (project_id: string, name: string): NewTag => ({
  name,
  color: leastUsedColor(queryClient.getQueryData<Tag[]>(['tags', project_id]) ?? []),
})

/** Creates a tag. Throws if the server rejects it. */
export async function createProjectTag(
  project_id: string,
  body: NewTag,
  idempotencyKey: string = crypto.randomUUID(),
): Promise<Tag> {
  const sent = { params: { id: project_id }, body }
  const reply = await requestEndpointForResult<typeof createTag>(
    'POST /api/v1/projects/:id/tags',
    sent,
    { idempotencyKey },
  )
  for (const key of [project_id, 'all']) {
    const queryKey = ['tags', key]
    // Somebody may have renamed or deleted the tag since the first reply, which was lost.
    if (reply.isReplayed) await invalidate({ queryKey })
    else
      queryClient.setQueryData<Tag[]>(
        queryKey,
        (tags) => tags && [...tags.filter(({ id }) => id !== reply.body.id), reply.body],
      )
  }
  return reply.body
}

/** Queues a new tag, which is added to a task as soon as it exists; the task may be a placeholder. */
export function addNewTag({ id, project_id }: Task, name: string): void {
  mutationLog.add({
    key: crypto.randomUUID(),
    // One after the other: a name that was typed twice becomes one tag.
    queueKey: `tags of ${project_id}`,
    label: mutationMessages.newTag(name),
    payload: { kind: 'new-tag', task_id: id, project_id, tag: toNewTag(project_id, name) },
  })
}

function leastUsedColor(tags: readonly Tag[]): string {
  const uses = (color: string) => tags.filter((tag) => tag.color === color).length
  const colors = Object.values<string>(HUES)
  return colors.reduce((best, one) => (uses(one) < uses(best) ? one : best))
}
