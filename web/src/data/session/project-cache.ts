import type { Project } from '#resources/projects/contract.ts'
import { type Boot, canManageWorkspace, updateBoot } from './boot.ts'

/** Stores a created or changed project in the boot data, which every screen reads. */
export function cacheProject(project: Project): void {
  updateBoot((boot) => ({
    ...boot,
    projects: boot.projects.some(({ id }) => id === project.id)
      ? boot.projects.map((one) => (one.id === project.id ? project : one))
      : [...boot.projects, project],
  }))
}

/** Whether the user may change the settings of a project (docs/spec/api.md#writing-projects). */
export const canEditProjectSettings = (
  boot: Pick<Boot, 'session'>,
  { lead_id }: Project,
): boolean => canManageWorkspace(boot) || lead_id === boot.session.user.id
