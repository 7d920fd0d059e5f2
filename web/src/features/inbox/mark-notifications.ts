import type { markNotifications } from '#resources/notifications/internal.ts'
import { showToast } from '../../data/app/toasts.ts'
import { queryClient } from '../../data/cache/query-client.ts'
import { recordOwnOperation } from '../../data/live/own-operations.ts'
import { updateBoot } from '../../data/session/boot.ts'
import { type CallInput, requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { inboxMessages } from '../../messages/tasks/inbox.ts'
import { showErrorToast } from '../settings/index.ts'
import type { NotificationGroup } from './notification-groups.ts'

type NotificationPatch = CallInput<typeof markNotifications>['body']

/** The first part of every query key of the inbox: invalidating it reloads all tabs. */
export const INBOX_QUERY_KEY = 'notifications'

/**
 * Changes notifications and reloads the inbox. Returns the ids of those changed, or undefined if
 * the request failed.
 */
async function patchNotifications(body: NotificationPatch): Promise<string[] | undefined> {
  try {
    const result = await requestEndpointForResult<typeof markNotifications>(
      'PATCH /internal/notifications',
      {
        body,
      },
    )
    recordOwnOperation(result.operation_id)
    updateBoot((boot) => ({ ...boot, inbox: { unread: result.body.unread } }))
    await queryClient.invalidateQueries({ queryKey: [INBOX_QUERY_KEY] })
    return result.body.ids
  } catch (error) {
    showErrorToast(error)
    return undefined
  }
}

const idsOf = ({ notifications }: NotificationGroup) => notifications.map(({ id }) => id)

/** Creates an undo function, which also restores which notifications were read. */
const createUndo = (groups: readonly NotificationGroup[]) => () => {
  const unread = groups.flatMap(({ notifications }) =>
    notifications.filter(({ read_at }) => read_at === null),
  )
  const read = groups.flatMap(({ notifications }) =>
    notifications.filter(({ read_at }) => read_at !== null),
  )
  const open = { done: false, snoozed_until: null }
  const toIds = (some: typeof read) => some.map(({ id }) => id)
  if (read.length > 0) void patchNotifications({ ids: toIds(read), ...open, read: true })
  if (unread.length > 0) void patchNotifications({ ids: toIds(unread), ...open, read: false })
}

/** Marks a group as done, or moves it back to the inbox. */
export async function markGroupDone(group: NotificationGroup, done: boolean): Promise<void> {
  const ids = await patchNotifications({ ids: idsOf(group), done })
  if (!ids) return
  if (done) showToast({ text: inboxMessages.markedDone(ids.length), undo: createUndo([group]) })
  else showToast({ text: inboxMessages.movedBack(ids.length) })
}

/** Marks every open notification as done, including those that are not loaded. */
export async function markAllDone(groups: readonly NotificationGroup[]): Promise<void> {
  const ids = await patchNotifications({ done: true })
  if (!ids || ids.length === 0) return
  const loadedIds = new Set(groups.flatMap(idsOf))
  const notLoaded = ids.filter((id) => !loadedIds.has(id))
  const undo = () => {
    createUndo(groups)()
    if (notLoaded.length > 0) void patchNotifications({ ids: notLoaded, done: false })
  }
  showToast({ text: inboxMessages.markedDone(ids.length), undo })
}

/** Marks all notifications of a group as read or unread. */
export const markGroupRead = (group: NotificationGroup, read: boolean) =>
  patchNotifications({ ids: idsOf(group), read })

/** Hides a group until the given time. `label` is that time in words. */
export async function snoozeGroup(
  group: NotificationGroup,
  until: string,
  label: string,
): Promise<void> {
  const ids = await patchNotifications({ ids: idsOf(group), snoozed_until: until })
  if (ids) showToast({ text: inboxMessages.snoozed(label), undo: createUndo([group]) })
}
