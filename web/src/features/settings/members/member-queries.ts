import { queryOptions } from '@tanstack/react-query'
import type { listInvitations } from '#resources/invitations/internal.ts'
import type { listMembers } from '#resources/members/contract.ts'
import type { getMemberWork } from '#resources/offboarding/internal.ts'
import { fetchAllPages } from '../../../data/cache/fetch-all-pages.ts'
import { MEMBERS_QUERY_KEY } from '../../../data/session/boot-records.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'

/** Active members, in the order in which they joined. */
export const membersQuery = queryOptions({
  queryKey: MEMBERS_QUERY_KEY,
  queryFn: ({ signal }) =>
    fetchAllPages((query) =>
      requestEndpoint<typeof listMembers>('GET /api/v1/workspace/members', { query }, { signal }),
    ),
})

/** Invitations that can still be accepted. */
export const invitationsQuery = queryOptions({
  queryKey: ['invitations'],
  queryFn: ({ signal }) =>
    fetchAllPages((query) =>
      requestEndpoint<typeof listInvitations>('GET /internal/invitations', { query }, { signal }),
    ),
})

/** The open work of a member, counted anew each time. */
export const memberWorkQuery = (id: string) =>
  queryOptions({
    queryKey: ['work-of', id],
    staleTime: 0,
    gcTime: 0,
    queryFn: ({ signal }) =>
      requestEndpoint<typeof getMemberWork>(
        'GET /internal/members/:id/work',
        { params: { id } },
        { signal },
      ),
  })
