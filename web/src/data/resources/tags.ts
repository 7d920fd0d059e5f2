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
import { parsePosition } from '../live/feed-position.ts'
import { mutationLog } from '../mutations/mutation-queue.ts'
import { useWithPendingPatches, withPendingPatches } from '../mutations/pending-patches.ts'
import type { Task } from '../tasks/task-patch.ts'
import {
  createLists,
  type ListReply,
  type RecordList,
  readWholeList,
  type TypedRecord,
  takeRecord,
  useHeldList,
} from './held-records.ts'

export type { Tag }

const NO_TAGS: readonly Tag[] = []

const byName = (a: Tag, b: Tag): number => a.name.localeCompare(b.name)

const tagsOf = createLists<Tag>('tags', {
  load: readTags,
  pick: ({ type, record }, id) => (type === 'tag' && record.project_id === id ? record : undefined),
  compare: byName,
})
/** The tags of all projects that the person sees. */
const allTags = createLists<Tag>('tags', {
  load: readAllTags,
  pick: ({ type, record }) => (type === 'tag' ? record : undefined),
  compare: byName,
})('all')

/** The tags of a project by name, at most 500; empty until they are loaded. */
export const useTags = (project_id: string | undefined): readonly Tag[] =>
  useTagList(project_id === undefined ? undefined : tagsOf(project_id)).tags

/** The tags of a project, or without one those of all projects that the person sees. */
export const useTagsOfProjectOrAll = (project_id: string | undefined): readonly Tag[] =>
  useTagList(project_id === undefined ? allTags : tagsOf(project_id)).tags

/** The tags of a project, and how loading them goes. */
export const useLoadedTags = (project_id: string) => useTagList(tagsOf(project_id))

function useTagList(list: RecordList<Tag> | undefined) {
  const { records, ...read } = useHeldList(list)
  // The same array before and after, so that the rows of a project without tags render only once.
  const tags = useWithPendingPatches(records)
  return { ...read, isPending: !tags, tags: tags && tags.length > 0 ? tags : NO_TAGS }
}

/** The tags of a project, e.g. for a menu. Rejects if they cannot be loaded. */
export const fetchTags = async (id: string): Promise<readonly Tag[]> =>
  withPendingPatches(await readWholeList(tagsOf(id)))

async function readTags(id: string): Promise<ListReply> {
  let n: number | undefined
  const tags = await fetchAllPages(async (query) => {
    const sent = { params: { id }, query }
    const from = 'GET /api/v1/projects/:id/tags'
    const page = await requestEndpointForResult<typeof listProjectTags>(from, sent)
    n ??= page.changeNumber
    return page.body
  })
  return { records: tags.map((record) => ({ type: 'tag', record })), n }
}

/** The feed of changes begins with all records: no list of the API has the tags of several projects. */
async function readAllTags(): Promise<ListReply> {
  const records: TypedRecord[] = []
  let after: string | undefined
  for (;;) {
    const query = { types: ['tag' as const], limit: 500, ...(after && { after }) }
    const page = await requestEndpoint<typeof listNumberedChanges>('GET /internal/changes', {
      query,
    })
    for (const { record } of page.data)
      if (record) records.push({ type: 'tag', record: record as Tag })
    after = page.position
    if (!page.has_more) return { records, n: parsePosition(after).n }
  }
}

export type NewTag = CallInput<typeof createTag>['body']
export type TagPatch = CallInput<typeof updateTag>['body']

/** A new tag in the color that the project uses least. */
export const toNewTag = (project_id: string, name: string): NewTag => ({
  name,
  color: leastUsedColor(tagsOf(project_id).read()),
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
  await takeRecord({ type: 'tag', record: reply.body }, reply.changeNumber)
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
