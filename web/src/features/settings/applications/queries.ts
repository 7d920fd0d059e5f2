import { queryOptions } from '@tanstack/react-query'
import type {
  Application,
  listApplications,
  listAuthorizations,
} from '#resources/applications/internal.ts'
import { allPages } from '../../../data/pages.ts'
import { queries } from '../../../data/refetch.ts'
import { call } from '../../../lib/call.ts'

/** All applications of the workspace, in the order in which they were made: at most 50. */
export const applicationsQuery = queryOptions({
  queryKey: ['applications'],
  queryFn: ({ signal }) =>
    allPages((query) => call<typeof listApplications>('GET /internal/apps', { query }, { signal })),
})

/** What persons of the workspace allow an application here. */
export const authorizationsQuery = (id: string) =>
  queryOptions({
    queryKey: ['applications', id, 'grants'],
    queryFn: ({ signal }) =>
      allPages((query) => {
        const sent = { params: { id }, query }
        return call<typeof listAuthorizations>('GET /internal/apps/:id/grants', sent, { signal })
      }),
  })

/** Puts an application in place of the one that the list shows, or at its end. */
export function replace(application: Application): void {
  queries.setQueryData(applicationsQuery.queryKey, (all = []) =>
    all.some(({ id }) => id === application.id)
      ? all.map((one) => (one.id === application.id ? application : one))
      : [...all, application],
  )
}
