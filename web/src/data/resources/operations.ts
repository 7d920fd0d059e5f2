import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { listOperations, OperationRecord } from '#resources/operations/contract.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { operationsOf } from '../../lib/http/request-operations.ts'
import { useAtom } from '../../lib/state/atom.ts'
import { messages, type Toast } from '../app/toasts.ts'
import { reverse } from '../app/undo.ts'
import { refetchSoon } from '../cache/query-client.ts'
import { mutationLog, mutationQueue } from '../mutations/mutation-queue.ts'

/** An operation of the person, and which one takes it back, or makes it again. */
export interface ListedOperation extends OperationRecord {
  isUndone: boolean
  /** The last of the operation, its undo, the undo of that and so on. */
  reversed_id: string
}

const PAGE_SIZE = 50

/** The person's operations, the newest first, on whichever device. An undo shows on what it has undone. */
export function useOperations() {
  const read = useInfiniteQuery({
    queryKey: ['operations'],
    queryFn: ({ pageParam, signal }) =>
      requestEndpoint<typeof listOperations>(
        'GET /api/v1/operations',
        {
          query: {
            user_id: 'me',
            sort: '-created_at',
            limit: PAGE_SIZE,
            ...(pageParam && { cursor: pageParam }),
          },
        },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    staleTime: 0,
  })
  useRefetchAfterReplies()
  return {
    operations: read.data && followUndos(read.data.pages.flatMap(({ data }) => data)),
    error: read.error,
    loadMore: read.hasNextPage ? () => void read.fetchNextPage() : undefined,
    retry: () => void read.refetch(),
  }
}

/** The operations that undo no other one, with what has become of each: undos are later, so they are listed as well. */
function followUndos(all: readonly OperationRecord[]): ListedOperation[] {
  const byId = new Map(all.map((one) => [one.id, one]))
  return all
    .filter(({ undoes_id }) => undoes_id === null)
    .map((operation) => {
      let isUndone = false
      let reversed_id = operation.id
      for (let next = operation.undone_by_id; next !== null; ) {
        isUndone = !isUndone
        reversed_id = next
        next = byId.get(next)?.undone_by_id ?? null
      }
      return { ...operation, isUndone, reversed_id }
    })
}

/** Reads the operations again when the server has acknowledged a mutation. */
function useRefetchAfterReplies(): void {
  const queue = useAtom(mutationQueue)
  const before = useRef(queue)
  useEffect(() => {
    const isAcknowledged = before.current.some(({ key }) => !queue.some((one) => one.key === key))
    before.current = queue
    if (isAcknowledged) refetchSoon(['operations'])
  }, [queue])
}

/**
 * The messages of this page about what the server has not acknowledged or has refused, and what is no operation there, such
 * as a change of a view.
 */
export function useUnsentMessages(): Toast[] {
  const keys = new Set(useAtom(mutationQueue).map(({ key }) => key))
  return useAtom(messages).filter(
    ({ tone, undo }) =>
      tone === 'trouble' ||
      typeof undo === 'function' ||
      (typeof undo === 'object' &&
        undo.some(({ does, entry }) => does === 'add' || keys.has(entry.key))),
  )
}

/** Whether the undo of an operation waits for the server. */
export const useIsBeingUndone = (id: string): boolean =>
  useAtom(mutationQueue).some(
    ({ payload }) => payload.kind === 'undo' && payload.operation_ids.includes(id),
  )

/** Takes an operation back, also one of another device or an earlier page. Undoing an undo redoes. */
export function reverseOperation(id: string, record_id: string, label: string): void {
  const message = messages.get().find((one) => isAboutOperation(one, id))
  // What this page has done is undone by its message, which then says so.
  if (message) reverse(message)
  else
    mutationLog.add({
      key: crypto.randomUUID(),
      queueKey: record_id,
      label,
      payload: { kind: 'undo', of: id, operation_ids: [id], changes: [], undone: [] },
    })
}

const isAboutOperation = ({ undo }: Toast, id: string): boolean => {
  if (typeof undo !== 'object') return false
  return undo.flatMap(({ entry }) => operationsOf(entry.key)).join() === id
}
