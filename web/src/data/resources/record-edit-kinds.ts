import type { getComment, updateComment } from '#resources/comments/contract.ts'
import type { getTag, updateTag } from '#resources/tags/contract.ts'
import type { getTimeEntry, updateTimeEntry } from '#resources/time-entries/contract.ts'
import type { updateView } from '#resources/web-app/views/internal.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import { requestEndpoint, requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { mutationMessages } from '../../messages/app/mutations.ts'
import { queryClient, refetchSoon } from '../cache/query-client.ts'
import { createRecordEditKind } from '../mutations/record-edit-kind.ts'
import { newerOf } from '../mutations/record-revision.ts'
import { scheduleBootReload } from '../session/boot.ts'
import { mergeVersions } from '../tasks/merge-versions.ts'
import { replaceCachedView } from './cached-views.ts'
import { type Comment, replaceComment } from './comments.ts'
import { requestSavedViews } from './request-saved-views.ts'
import type { SavedView, SavedViewPatch } from './saved-views.ts'
import type { Tag, TagPatch } from './tags.ts'
import {
  putTimeEntry,
  refetchTaskTime,
  type TimeEntry,
  type TimeEntryPatch,
} from './time-entries.ts'

/** A new text of one's own comment. */
export const commentEditKind = createRecordEditKind<'comment-edit', Comment, { body: string }>({
  write: (sent, options) =>
    requestEndpointForResult<typeof updateComment>('PATCH /api/v1/comments/:id', sent, options),
  read: ({ id }) =>
    requestEndpoint<typeof getComment>('GET /api/v1/comments/:id', { params: { id } }),
  put: replaceComment,
  async merge({ body: base }, { body: mine }, { body: theirs }) {
    const body = await mergeVersions(base, mine, theirs)
    return body === undefined ? undefined : { body }
  },
  onChanged: () => refetchSoon(['search']),
  queryKeyOf: ({ task_id }) => ['comments', task_id],
})

/** A change of a time entry. */
export const timeEntryEditKind = createRecordEditKind<'time-entry-edit', TimeEntry, TimeEntryPatch>(
  {
    write: (sent, options) =>
      requestEndpointForResult<typeof updateTimeEntry>(
        'PATCH /api/v1/time-entries/:id',
        sent,
        options,
      ),
    read: ({ id }) =>
      requestEndpoint<typeof getTimeEntry>('GET /api/v1/time-entries/:id', { params: { id } }),
    put: putTimeEntry,
    onChanged: ({ task_id }) => refetchTaskTime(task_id),
    queryKeyOf: ({ task_id }) => ['time', task_id],
  },
)

/** A new name or color of a tag. The stream tells of it, and the lists that show the tag are refetched. */
export const tagEditKind = createRecordEditKind<'tag-edit', Tag, TagPatch>({
  write: (sent, options) =>
    requestEndpointForResult<typeof updateTag>('PATCH /api/v1/tags/:id', sent, options),
  read: ({ id }) => requestEndpoint<typeof getTag>('GET /api/v1/tags/:id', { params: { id } }),
  put(tag) {
    for (const key of [tag.project_id, 'all'])
      queryClient.setQueryData<Tag[]>(['tags', key], (all) =>
        all?.map((one) => (one.id === tag.id ? newerOf(one, tag) : one)),
      )
  },
  queryKeyOf: ({ project_id }) => ['tags', project_id],
})

/** A change of a saved view, which is among the boot data if it is pinned. */
export const savedViewEditKind = createRecordEditKind<'view-edit', SavedView, SavedViewPatch>({
  write: (sent, options) =>
    requestEndpointForResult<typeof updateView>('PATCH /internal/views/:id', sent, options),
  read: readSavedView,
  put: replaceCachedView,
  onReplayed: scheduleBootReload,
  queryKeyOf: ({ project_id }) => ['views', project_id],
})

async function readSavedView({ id, project_id }: SavedView): Promise<SavedView> {
  const view = (await requestSavedViews(project_id)).find((one) => one.id === id)
  if (view) return view
  const error = { code: 'not_found', message: mutationMessages.goneMeanwhile }
  throw new ApiResponseError(404, { ...error, details: [], request_id: '' })
}
