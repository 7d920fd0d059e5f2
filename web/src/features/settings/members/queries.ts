import { queryOptions } from '@tanstack/react-query'
import type { listInvitations } from '#resources/invitations/internal.ts'
import type { getWork } from '#resources/leaving/internal.ts'
import type { listMembers } from '#resources/members/contract.ts'
import { allPages } from '../../../data/pages.ts'
import { call } from '../../../lib/call.ts'

/** Active members, in the order in which they joined. */
export const membersQuery = queryOptions({
  queryKey: ['members'],
  queryFn: ({ signal }) =>
    allPages((query) =>
      call<typeof listMembers>('GET /api/v1/workspace/members', { query }, { signal }),
    ),
})

/** Invitations that can still be accepted. */
export const invitationsQuery = queryOptions({
  queryKey: ['invitations'],
  queryFn: ({ signal }) =>
    allPages((query) =>
      call<typeof listInvitations>('GET /internal/invitations', { query }, { signal }),
    ),
})

/** What waits for a member, counted now. */
export const workQuery = (id: string) =>
  queryOptions({
    queryKey: ['work-of', id],
    staleTime: 0,
    gcTime: 0,
    queryFn: ({ signal }) =>
      call<typeof getWork>('GET /internal/members/:id/work', { params: { id } }, { signal }),
  })
