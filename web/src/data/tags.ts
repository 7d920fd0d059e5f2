import { useQuery } from '@tanstack/react-query'
import type { createTag, deleteTag, listTags, Tag } from '#resources/tags/contract.ts'
import { answered, call } from '../lib/call.ts'
import { HUES } from '../lib/hue.ts'
import { signal } from '../lib/signal.ts'
import { m } from '../messages/data.ts'
import { noteOwn } from './own.ts'
import { removeLater } from './records.ts'
import { queries } from './refetch.ts'

export type { Tag }

const NONE: readonly Tag[] = []

/** The tags of a project, by name; empty until they came. A project has 500 at the most. */
export function useTags(project_id: string | undefined): readonly Tag[] {
  const { data } = useQuery({
    queryKey: ['tags', project_id],
    queryFn: () => readTags(project_id ?? ''),
    enabled: project_id !== undefined,
  })
  return data ?? NONE
}

/** The same once, e.g. for what is opened. Rejects where they cannot be read. */
export const tagsOf = (id: string): Promise<readonly Tag[]> =>
  queries.fetchQuery({ queryKey: ['tags', id], queryFn: () => readTags(id) })

async function readTags(id: string): Promise<Tag[]> {
  const tags: Tag[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { limit: 200, ...(cursor !== undefined && { cursor }) }
    const page = await call<typeof listTags>('GET /api/v1/projects/:id/tags', {
      params: { id },
      query,
    })
    tags.push(...page.data)
    cursor = page.next_cursor
  }
  return tags
}

/** Makes a tag of a name, in a hue that the project uses least. Throws Problem where it is refused. */
export async function makeTag(project_id: string, name: string): Promise<Tag> {
  const known = queries.getQueryData<Tag[]>(['tags', project_id]) ?? []
  const color = rarest(known)
  const sent = { params: { id: project_id }, body: { name, color } }
  const { body, operation_id } = await answered<typeof createTag>(
    'POST /api/v1/projects/:id/tags',
    sent,
    { idempotencyKey: crypto.randomUUID() },
  )
  noteOwn(operation_id)
  queries.setQueryData<Tag[]>(['tags', project_id], (tags = []) => [...tags, body])
  return body
}

/** Tags whose deletion can still be undone. */
export const hiddenTags = signal<ReadonlySet<string>>(new Set())

/** Deletes a tag when its toast ends. Its own notice is heeded, for lists that show the tag are read again by it. */
export function removeTag({ id, name, project_id }: Tag): void {
  const to = 'DELETE /api/v1/tags/:id'
  removeLater(m.tagDeleted(name), {
    ...{ id, hidden: hiddenTags },
    send: (options) => call<typeof deleteTag>(to, { params: { id } }, options),
    gone: () => void queries.invalidateQueries({ queryKey: ['tags', project_id] }),
  })
}

function rarest(tags: readonly Tag[]): string {
  const uses = (color: string) => tags.filter((tag) => tag.color === color).length
  const colors = Object.values<string>(HUES)
  return colors.reduce((best, one) => (uses(one) < uses(best) ? one : best))
}
