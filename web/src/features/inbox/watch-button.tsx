import { queryOptions, useQuery } from '@tanstack/react-query'
import type { getTaskWatch, updateTaskWatch } from '#resources/notifications/internal.ts'
import { mutationQueue } from '../../data/mutations/mutation-queue.ts'
import { enqueueRecordMutation } from '../../data/mutations/record-mutations.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { useAtom } from '../../lib/state/atom.ts'
import { inboxMessages } from '../../messages/tasks/inbox.ts'
import { getErrorMessage } from '../../ui/feedback/error-message.tsx'
import { IconButton } from '../../ui/form/button.tsx'

const watchQuery = (id: string) =>
  queryOptions({
    queryKey: ['watch', id],
    queryFn: ({ signal }) =>
      requestEndpoint<typeof getTaskWatch>(
        'GET /internal/tasks/:id/watch',
        { params: { id } },
        { signal },
      ),
  })

/** Toggles whether the user gets notifications about a task. */
export function WatchButton({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(watchQuery(id))
  const pending = usePendingWatch(id)
  const isWatching = pending ?? data?.watching ?? false
  return (
    <IconButton
      icon="eye"
      label={inboxMessages.watch}
      title={
        error
          ? getErrorMessage(error)
          : isWatching
            ? inboxMessages.watching[data?.reason ?? 'chosen']
            : inboxMessages.watch
      }
      aria-pressed={isWatching}
      busy={data === undefined && !error}
      onClick={() => (data ? changeWatch(id, !isWatching) : void refetch())}
    />
  )
}

const WATCH_ADDRESS = 'PATCH /internal/tasks/:id/watch'

/** What the person has chosen and the server has not acknowledged. */
function usePendingWatch(id: string): boolean | undefined {
  const chosen = useAtom(mutationQueue).flatMap(({ payload }) => {
    if (payload.kind !== 'request' || payload.address !== WATCH_ADDRESS) return []
    const { params, body } = payload.sent
    return params?.id === id && body && 'watching' in body ? [body.watching === true] : []
  })
  return chosen.at(-1)
}

/** Watches a task or not: shown at once and queued. */
function changeWatch(id: string, watching: boolean): void {
  enqueueRecordMutation<typeof updateTaskWatch>({
    queueKey: `watch of ${id}`,
    label: inboxMessages.watch,
    address: WATCH_ADDRESS,
    sent: { params: { id }, body: { watching } },
    queries: ['watch'],
  })
}
