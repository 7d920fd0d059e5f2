import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { listNotifications, Notification } from '#resources/notifications/internal.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { derive, hasSameItems, useAtom } from '../../lib/state/atom.ts'
import { mutationQueue } from '../mutations/mutation-queue.ts'
import { useBoot } from '../session/boot.ts'
import {
  applyMarks,
  countUnread,
  type InboxTab,
  type NotificationMark,
  TAB_QUERIES,
} from './notification-marks.ts'

export type { Notification }

/** The first part of every query key of the inbox: invalidating it reloads all tabs. */
export const INBOX_QUERY_KEY = 'notifications'

/** The notifications that were loaded: one that leaves a tab may come back by an undo, or be in another tab. */
const known = new Map<string, Notification>()

/** Whether the inbox may name a task. */
export const hasNotifications = (task_id: string): boolean =>
  [...known.values()].some(({ task }) => task?.id === task_id)

const inboxQuery = (tab: InboxTab) =>
  infiniteQueryOptions({
    queryKey: [INBOX_QUERY_KEY, tab],
    async queryFn({ pageParam, signal }) {
      const query = { ...TAB_QUERIES[tab], limit: 100, ...(pageParam && { cursor: pageParam }) }
      const from = 'GET /internal/notifications'
      const page = await requestEndpoint<typeof listNotifications>(from, { query }, { signal })
      for (const one of page.data) known.set(one.id, one)
      return page
    },
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  })

/** Where notifications are marked. */
export const MARK_ADDRESS = 'PATCH /internal/notifications'

/** The marks that the server has not acknowledged, oldest first. */
const pendingMarks = derive(
  [mutationQueue],
  () =>
    mutationQueue.get().flatMap(({ payload }) =>
      // The body of a request to this address is that of its endpoint.
      payload.kind === 'request' && payload.address === MARK_ADDRESS
        ? [payload.sent.body as NotificationMark]
        : [],
    ),
  hasSameItems,
)

type Pages = readonly { readonly data: readonly Notification[] }[]
const listOf = (pages: Pages = []): readonly Notification[] => pages.flatMap(({ data }) => data)

/** The notifications of a tab, newest first, with what is not acknowledged. */
export function useNotifications(tab: InboxTab) {
  const query = useInfiniteQuery(inboxQuery(tab))
  const marks = useAtom(pendingMarks)
  const notifications = useMemo(
    () => applyMarks(listOf(query.data?.pages), known, marks, tab),
    [query.data, marks, tab],
  )
  return { query, notifications }
}

/**
 * How many rows of the inbox are unread: by the boot data as long as nothing has changed, then by the open
 * notifications that are loaded and by the number of the server, which counts the older ones as well.
 */
export function useUnreadCount(): number {
  const { inbox } = useBoot('inbox')
  const marks = useAtom(pendingMarks)
  const { data } = useInfiniteQuery({
    ...inboxQuery('all'),
    enabled: ({ state }) => state.data !== undefined || state.isInvalidated,
  })
  return useMemo(() => {
    const listed = listOf(data?.pages)
    const shown = applyMarks(listed, known, marks, 'all')
    const unread = data?.pages[0]?.unread ?? inbox.unread
    return Math.max(0, unread + countUnread(shown) - countUnread(listed))
  }, [data, inbox, marks])
}
