import { infiniteQueryOptions } from '@tanstack/react-query'
import type { listAudit } from '#resources/audit/internal.ts'
import type { AuditAction } from '#wire/audit-actions.ts'
import { type CallInput, requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { auditMessages } from '../../../messages/settings/audit.ts'

/** The values of the filters; an empty one matches everything. */
export interface AuditFilterValues {
  action: string
  user_id: string
}

type AuditLogParams = NonNullable<CallInput<typeof listAudit>['query']>
export type AuditFilter = Pick<AuditLogParams, 'action' | 'user_id'>

const isAction = (name: string): name is AuditAction => Object.hasOwn(auditMessages.actions, name)

export const toAuditFilter = ({ action, user_id }: AuditFilterValues): AuditFilter => ({
  ...(isAction(action) && { action }),
  ...(user_id && { user_id }),
})

const PAGE_SIZE = 50

export const fetchAuditPage = (query: AuditLogParams, signal?: AbortSignal) =>
  requestEndpoint<typeof listAudit>('GET /internal/audit', { query }, signal ? { signal } : {})

/** The entries, newest first, page by page. */
export const auditLogQuery = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ['audit', filter],
    queryFn: ({ pageParam, signal }) =>
      fetchAuditPage(
        { ...filter, limit: PAGE_SIZE, ...(pageParam && { cursor: pageParam }) },
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })
