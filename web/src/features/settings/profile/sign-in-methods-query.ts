import { queryOptions, useQuery } from '@tanstack/react-query'
import type { getSignInMethods } from '#accounts/internal.ts'
import type { EndpointReply } from '#wire/endpoint.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'

/** The ways in which the person can sign in. */
export type AccountSignInMethods = EndpointReply<typeof getSignInMethods>

export const signInMethodsQuery = queryOptions({
  queryKey: ['sign-in-means'],
  queryFn: ({ signal }) =>
    requestEndpoint<typeof getSignInMethods>('GET /internal/account/sign-in', {}, { signal }),
})

/**
 * Whether the person confirms who they are by a password, also until it is known. Otherwise a recent
 * sign-in does.
 */
export const useHasPassword = (): boolean =>
  useQuery(signInMethodsQuery).data?.has_password !== false
