import { queryOptions } from '@tanstack/react-query'
import type { listGrants } from '#resources/applications/grants/internal.ts'
import type {
  Application,
  listApplicationGrants,
  listApplications,
} from '#resources/applications/internal.ts'
import { fetchAllPages } from '../../../data/cache/fetch-all-pages.ts'
import { queryClient } from '../../../data/cache/query-client.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'

/** All applications of the workspace, oldest first; there are at most 50. */
export const applicationsQuery = queryOptions({
  queryKey: ['applications'],
  queryFn: ({ signal }) =>
    fetchAllPages((query) =>
      requestEndpoint<typeof listApplications>('GET /internal/apps', { query }, { signal }),
    ),
})

/** The person's authorizations of applications in this workspace. */
export const grantsQuery = queryOptions({
  queryKey: ['grants'],
  queryFn: ({ signal }) =>
    fetchAllPages((query) =>
      requestEndpoint<typeof listGrants>('GET /internal/grants', { query }, { signal }),
    ),
})

/** The grants that people of this workspace have given to an application. */
export const applicationGrantsQuery = (id: string) =>
  queryOptions({
    queryKey: ['applications', id, 'grants'],
    queryFn: ({ signal }) =>
      fetchAllPages((query) => {
        const input = { params: { id }, query }
        return requestEndpoint<typeof listApplicationGrants>(
          'GET /internal/apps/:id/grants',
          input,
          { signal },
        )
      }),
  })

/** Replaces an application in the cached list, or appends it. */
export function cacheApplication(application: Application): void {
  queryClient.setQueryData(applicationsQuery.queryKey, (all = []) =>
    all.some(({ id }) => id === application.id)
      ? all.map((one) => (one.id === application.id ? application : one))
      : [...all, application],
  )
}
