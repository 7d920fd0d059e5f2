import type { Project } from '#resources/projects/contract.ts'
import type { archiveProject, unarchiveProject } from '#resources/projects/internal.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { updateBoot } from './boot.ts'

/** Stores a created or changed project in the boot data, which every screen reads. */
export function cacheProject(project: Project): void {
  updateBoot((boot) => ({
    ...boot,
    projects: boot.projects.some(({ id }) => id === project.id)
      ? boot.projects.map((one) => (one.id === project.id ? project : one))
      : [...boot.projects, project],
  }))
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
