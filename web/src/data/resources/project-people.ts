import { useQuery } from '@tanstack/react-query'
import type { Member } from '#resources/members/contract.ts'
import type { Project } from '#resources/projects/contract.ts'
import type { listPeople, putPerson } from '#resources/projects/internal.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { fetchAllPages } from '../cache/fetch-all-pages.ts'
import { invalidate } from '../cache/query-client.ts'

const PEOPLE = 'people'

/**
 * The people list of a project: which guests see it, and of a private one also which members. Reads
 * nothing without a project.
 */
export const usePeople = (project_id: string | undefined) =>
  useQuery({
    queryKey: [PEOPLE, project_id],
    enabled: project_id !== undefined,
    queryFn: ({ signal }) =>
      fetchAllPages((query) =>
        requestEndpoint<typeof listPeople>(
          'GET /internal/projects/:id/people',
          { params: { id: project_id ?? '' }, query },
          { signal },
        ),
      ),
  })

/** Reads the people list of a project again. */
export const invalidatePeople = (project_id: string): Promise<void> =>
  invalidate({ queryKey: [PEOPLE, project_id] })

/** Adds a person to the people list of a project. Throws if the server rejects it. */
export async function addPersonToProject(project_id: string, user_id: string): Promise<void> {
  const sent = { params: { id: project_id, user_id } }
  await requestEndpoint<typeof putPerson>('PUT /internal/projects/:id/people/:user_id', sent)
}

/** Whether a person sees a project, and so can be assigned in it (docs/spec/api.md#roles-and-visibility). */
export function canSeeProject(
  { id, role }: Pick<Member, 'id' | 'role'>,
  { visibility, lead_id }: Pick<Project, 'visibility' | 'lead_id'>,
  people: readonly Pick<Member, 'id'>[],
): boolean {
  if (role === 'owner' || role === 'admin') return true
  if (role === 'member' && (visibility === 'workspace' || lead_id === id)) return true
  return people.some((one) => one.id === id)
}
