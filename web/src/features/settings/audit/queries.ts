import { infiniteQueryOptions } from '@tanstack/react-query'
import type { checkAudit, listAudit } from '#resources/audit/internal.ts'
import type { AuditAction } from '#wire/audit.ts'
import { call, type Sent } from '../../../lib/call.ts'
import { m } from '../../../messages/audit.ts'

/** What of the log is asked for; empty is any. */
export interface Wanted {
  action: string
  user_id: string
}

type Query = NonNullable<Sent<typeof listAudit>['query']>
export type AuditFilter = Pick<Query, 'action' | 'user_id'>

const isAction = (name: string): name is AuditAction => Object.hasOwn(m.actions, name)

export const filterOf = ({ action, user_id }: Wanted): AuditFilter => ({
  ...(isAction(action) && { action }),
  ...(user_id && { user_id }),
})

const PAGE = 50

export const readAudit = (query: Query, signal?: AbortSignal) =>
  call<typeof listAudit>('GET /internal/audit', { query }, signal ? { signal } : {})

/** Entries, the newest first, page after page. */
export const auditQuery = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ['audit', filter],
    queryFn: ({ pageParam, signal }) =>
      readAudit({ ...filter, limit: PAGE, ...(pageParam && { cursor: pageParam }) }, signal),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })

/** Checks of the chain, from its end back: each goes on where the one before ended, until all is looked at. */
export const checksQuery = infiniteQueryOptions({
  queryKey: ['audit', 'check'],
  queryFn: ({ pageParam: to, signal }) => {
    const query = to === undefined ? {} : { to }
    return call<typeof checkAudit>('GET /internal/audit/check', { query }, { signal })
  },
  initialPageParam: undefined as number | undefined,
  getNextPageParam: ({ from, has_more, fault }) =>
    has_more && !fault ? (from ?? undefined) : undefined,
})
