import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Member } from '#resources/members/contract.ts'
import type { Project } from '#resources/projects/contract.ts'
import type { listPeople, putPerson } from '#resources/projects/internal.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { fetchAllPages } from '../cache/fetch-all-pages.ts'
import { invalidate, queryClient } from '../cache/query-client.ts'
import { canSeeProject, hasRight } from '../session/rights.ts'

const PEOPLE = 'people'

const peopleQuery = (project_id: string | undefined) => ({
  queryKey: [PEOPLE, project_id],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    fetchAllPages((query) =>
      requestEndpoint<typeof listPeople>(
        'GET /internal/projects/:id/people',
        { params: { id: project_id ?? '' }, query },
        { signal },
      ),
    ),
})

/**
 * The people list of a project: which guests see it, and of a private one also which members. Reads
 * nothing without a project.
 */
export const usePeople = (project_id: string | undefined) =>
  useQuery({ ...peopleQuery(project_id), enabled: project_id !== undefined })

/** Reads the people list of a project again. */
export const invalidatePeople = (project_id: string): Promise<void> =>
  invalidate({ queryKey: [PEOPLE, project_id] })

/** Adds a person to the people list of a project. Throws if the server rejects it. */
export async function addPersonToProject(project_id: string, user_id: string): Promise<void> {
  const sent = { params: { id: project_id, user_id } }
  await requestEndpoint<typeof putPerson>('PUT /internal/projects/:id/people/:user_id', sent)
}

type SeenProject = Pick<Project, 'id' | 'visibility' | 'lead_id'>

/** The members who see a project, and so can be assigned in it. All, until its people list is loaded. */
export function useProjectMembers<P extends Pick<Member, 'id' | 'role'>>(
  members: readonly P[],
  project: SeenProject | undefined,
): readonly P[] {
  const isListed = project !== undefined && needsPeopleList(members, project)
  const { data: people } = usePeople(isListed ? project.id : undefined)
  return useMemo(
    () =>
      project && people
        ? members.filter((member) => canSeeProject(member, project, people))
        : members,
    [members, project, people],
  )
}

/** Whether somebody sees a project only by its people list, or not at all. */
const needsPeopleList = (
  members: readonly Pick<Member, 'role'>[],
  { visibility }: SeenProject,
): boolean =>
  visibility === 'private' || members.some((member) => !hasRight(member, 'see_open_projects'))

/** The members who see all of these projects. One whose people list cannot be loaded leaves nobody out. */
export async function fetchMembersOfProjects<P extends Pick<Member, 'id' | 'role'>>(
  members: readonly P[],
  projects: readonly SeenProject[],
): Promise<readonly P[]> {
  const lists = await Promise.all(
    projects
      .filter((project) => needsPeopleList(members, project))
      .map(async (project) => ({
        project,
        // Without a network the picker must not wait for further attempts.
        people: await queryClient
          .fetchQuery({ ...peopleQuery(project.id), retry: false })
          .catch(() => undefined),
      })),
  )
  return members.filter((member) =>
    lists.every(({ project, people }) => !people || canSeeProject(member, project, people)),
  )
}
