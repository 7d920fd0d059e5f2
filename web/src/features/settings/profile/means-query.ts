import { queryOptions } from '@tanstack/react-query'
import type { getSignInMeans } from '#accounts/internal.ts'
import type { Reply } from '#wire/endpoint.ts'
import { call } from '../../../lib/call.ts'

/** How the person can sign in. */
export type Means = Reply<typeof getSignInMeans>

export const meansQuery = queryOptions({
  queryKey: ['sign-in-means'],
  queryFn: ({ signal }) =>
    call<typeof getSignInMeans>('GET /internal/account/sign-in', {}, { signal }),
})
