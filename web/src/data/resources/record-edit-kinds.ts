import type { updateComment } from '#resources/comments/contract.ts'
import type { updateTag } from '#resources/tags/contract.ts'
import type { updateTimeEntry } from '#resources/time-entries/contract.ts'
import type { updateView } from '#resources/web-app/views/internal.ts'
import { requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { invalidate, refetchSoon } from '../cache/query-client.ts'
import { createRecordEditKind, throwGone } from '../mutations/record-edit-kind.ts'
import { scheduleBootReload } from '../session/boot.ts'
import { mergeVersions } from '../tasks/merge-versions.ts'
import { getCachedView, replaceCachedView } from './cached-views.ts'
import type { Comment } from './comments.ts'
import { getHeldRecord, recordReplica, takeRecord } from './held-records.ts'
import { requestSavedViews } from './request-saved-views.ts'
import type { SavedView, SavedViewPatch } from './saved-views.ts'
import type { Tag, TagPatch } from './tags.ts'
import type { TimeEntry, TimeEntryPatch } from './time-entries.ts'

const read = ({ id }: { id: string }): Promise<void> => recordReplica.read([id])

/** A new text of one's own comment. */
export const commentEditKind = createRecordEditKind<'comment-edit', Comment, { body: string }>({
  write: (sent, options) =>
    requestEndpointForResult<typeof updateComment>('PATCH /api/v1/comments/:id', sent, options),
  get: ({ id }) => getHeldRecord('comment', id),
  read,
  take: ({ body, changeNumber }) => takeRecord({ type: 'comment', record: body }, changeNumber),
  async merge({ body: base }, { body: mine }, { body: theirs }) {
    const body = await mergeVersions(base, mine, theirs)
    return body === undefined ? undefined : { body }
  },
  onChanged: () => refetchSoon(['search']),
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
    get: ({ id }) => getHeldRecord('time_entry', id),
    read,
    take: ({ body, changeNumber }) =>
      takeRecord({ type: 'time_entry', record: body }, changeNumber),
  },
)

/** A new name or color of a tag. */
export const tagEditKind = createRecordEditKind<'tag-edit', Tag, TagPatch>({
  write: (sent, options) =>
    requestEndpointForResult<typeof updateTag>('PATCH /api/v1/tags/:id', sent, options),
  get: ({ id }) => getHeldRecord('tag', id),
  read,
  take: ({ body, changeNumber }) => takeRecord({ type: 'tag', record: body }, changeNumber),
})

/** A change of a saved view, which is among the boot data if it is pinned. */
export const savedViewEditKind = createRecordEditKind<'view-edit', SavedView, SavedViewPatch>({
  write: (sent, options) =>
    requestEndpointForResult<typeof updateView>('PATCH /internal/views/:id', sent, options),
  get: getCachedView,
  async read({ id, project_id }) {
    const view = (await requestSavedViews(project_id)).find((one) => one.id === id)
    if (!view) throwGone()
    replaceCachedView(view)
  },
  async take({ body, isReplayed }) {
    if (!isReplayed) return replaceCachedView(body)
    scheduleBootReload()
    await invalidate({ queryKey: ['views', body.project_id] })
  },
})
