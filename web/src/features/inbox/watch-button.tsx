import { queryOptions, useQuery } from '@tanstack/react-query'
import type { getTaskWatch, updateTaskWatch } from '#resources/notifications/internal.ts'
import { queryClient } from '../../data/cache/query-client.ts'
import { recordOwnOperation } from '../../data/live/own-operations.ts'
import { requestEndpoint, requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { inboxMessages } from '../../messages/tasks/inbox.ts'
import { getErrorMessage } from '../../ui/feedback/error-message.tsx'
import { IconButton } from '../../ui/form/button.tsx'
import { showErrorToast } from '../settings/index.ts'

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
  const reason = data?.reason
  return (
    <IconButton
      icon="eye"
      label={inboxMessages.watch}
      title={
        error
          ? getErrorMessage(error)
          : reason
            ? inboxMessages.watching[reason]
            : inboxMessages.watch
      }
      aria-pressed={data?.watching ?? false}
      busy={data === undefined && !error}
      onClick={() => void (data ? toggle(id, !data.watching) : refetch())}
    />
  )
}

async function toggle(id: string, watching: boolean): Promise<void> {
  try {
    const sent = { params: { id }, body: { watching } }
    const reply = await requestEndpointForResult<typeof updateTaskWatch>(
      'PATCH /internal/tasks/:id/watch',
      sent,
    )
    recordOwnOperation(reply.operation_id)
    queryClient.setQueryData(watchQuery(id).queryKey, reply.body)
  } catch (error) {
    showErrorToast(error)
  }
}
