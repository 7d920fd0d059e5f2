import type { Member } from '#resources/members/contract.ts'
import type { Project } from '#resources/projects/contract.ts'
import type { archiveProject, unarchiveProject } from '#resources/projects/internal.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { queryClient } from '../cache/query-client.ts'
import { updateBoot } from './boot.ts'

/** Replaces a record in a list, or appends it. */
const putRecord = <R extends { readonly id: string }>(all: readonly R[], record: R): R[] =>
  all.some(({ id }) => id === record.id)
    ? all.map((one) => (one.id === record.id ? record : one))
    : [...all, record]

const omitRecord = <R extends { readonly id: string }>(all: readonly R[], id: string): R[] =>
  all.filter((one) => one.id !== id)

/** Stores a created or changed project in the boot data, which every screen reads. */
export const cacheProject = (project: Project): void =>
  updateBoot((boot) => ({ ...boot, projects: putRecord(boot.projects, project) }))

/** The key of the members that the settings list, beyond those of the boot data. */
export const MEMBERS_QUERY_KEY = ['members'] as const

/** Stores a new or changed member. */
export function cacheMember(member: Member): void {
  queryClient.setQueryData<Member[]>(MEMBERS_QUERY_KEY, (all) => all && putRecord(all, member))
  updateBoot((boot) => ({
    ...boot,
    members: putRecord(boot.members, member),
    former: omitRecord(boot.former, member.id),
    session: boot.session.user.id === member.id ? { ...boot.session, user: member } : boot.session,
  }))
}

/** Makes a member a former one, whose name stays. */
export function cacheMemberRemoval(id: string): void {
  queryClient.setQueryData<Member[]>(MEMBERS_QUERY_KEY, (all) => all && omitRecord(all, id))
  updateBoot((boot) => {
    const removed = boot.members.find((member) => member.id === id)
    if (!removed) return boot
    const former = putRecord(boot.former, { id, name: removed.name })
    return { ...boot, members: omitRecord(boot.members, id), former }
  })
}

/** Archives a project or makes it writable again. Throws if the server rejects it. */
export async function setArchived(id: string, isArchived: boolean): Promise<void> {
  const sent = { params: { id }, body: {} }
  cacheProject(
    isArchived
      ? await requestEndpoint<typeof archiveProject>('POST /internal/projects/:id/archive', sent)
      : await requestEndpoint<typeof unarchiveProject>(
          'POST /internal/projects/:id/unarchive',
          sent,
        ),
  )
}
