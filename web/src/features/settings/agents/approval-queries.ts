import { queryOptions } from '@tanstack/react-query'
import type { Approval, getApproval, listApprovals } from '#resources/approvals/internal.ts'
import { fetchAllPages } from '../../../data/cache/fetch-all-pages.ts'
import { queryClient } from '../../../data/cache/query-client.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'

const MAX_PAGES = 5

/** The requests that wait for this person, the newest first. */
export const approvalsQuery = queryOptions({
  queryKey: ['approvals'],
  queryFn: ({ signal }) =>
    fetchAllPages(
      (query) =>
        requestEndpoint<typeof listApprovals>('GET /internal/approvals', { query }, { signal }),
      MAX_PAGES,
    ),
})

/** One request, with what it would do. */
export const approvalQuery = (id: string) =>
  queryOptions({
    queryKey: ['approvals', id],
    queryFn: ({ signal }) =>
      requestEndpoint<typeof getApproval>(
        'GET /internal/approvals/:id',
        { params: { id } },
        { signal },
      ),
  })

/** Shows the state of a request after a decision, which also ends its notification. */
export async function cacheApproval(approval: Approval): Promise<void> {
  queryClient.setQueryData(approvalQuery(approval.id).queryKey, approval)
  await Promise.all([
    queryClient.invalidateQueries({ ...approvalsQuery, exact: true }),
    queryClient.invalidateQueries({ queryKey: ['notifications'] }),
  ])
}
