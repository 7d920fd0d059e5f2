import { queryOptions, useQuery } from '@tanstack/react-query'
import type { changeWatch, getWatch } from '#resources/notifications/internal.ts'
import { noteOwn } from '../../data/own.ts'
import { queries } from '../../data/refetch.ts'
import { answered, call } from '../../lib/call.ts'
import { m } from '../../messages/inbox.ts'
import { IconButton } from '../../ui/button.tsx'
import { tell } from '../settings/tell.ts'

const watchQuery = (id: string) =>
  queryOptions({
    queryKey: ['watch', id],
    queryFn: ({ signal }) =>
      call<typeof getWatch>('GET /internal/tasks/:id/watch', { params: { id } }, { signal }),
  })

/** Whether one hears of what is said about a task: pressed, one does. */
export function Watch({ id }: { id: string }) {
  const { data } = useQuery(watchQuery(id))
  const reason = data?.reason
  return (
    <IconButton
      icon="eye"
      label={m.watch}
      title={reason ? m.watching[reason] : m.watch}
      aria-pressed={data?.watching ?? false}
      busy={data === undefined}
      onClick={() => void toggle(id, !data?.watching)}
    />
  )
}

async function toggle(id: string, watching: boolean): Promise<void> {
  try {
    const sent = { params: { id }, body: { watching } }
    const reply = await answered<typeof changeWatch>('PATCH /internal/tasks/:id/watch', sent)
    noteOwn(reply.operation_id)
    queries.setQueryData(watchQuery(id).queryKey, reply.body)
  } catch (error) {
    tell(error)
  }
}
