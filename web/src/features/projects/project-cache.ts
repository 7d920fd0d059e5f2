import type { Project } from '#resources/projects/contract.ts'
import { refetchSoon } from '../../data/cache/query-client.ts'
import { type Boot, bootState, canManageWorkspace, updateBoot } from '../../data/session/boot.ts'
import { isSameValue } from '../../data/tasks/task-patch.ts'

/** Stores a created or changed project in the boot data, which every screen reads. */
export function cacheProject(project: Project): void {
  const known = bootState.get()?.projects.find(({ id }) => id === project.id)
  updateBoot((boot) => ({
    ...boot,
    projects: known
      ? boot.projects.map((one) => (one.id === project.id ? project : one))
      : [...boot.projects, project],
  }))
  // The index has the groups and columns in the order of the statuses.
  if (known && !isSameValue(known.statuses, project.statuses)) refetchSoon(['index', project.id])
}

/** Whether the user may change the settings of a project (docs/spec/api.md#writing-projects). */
export const canEditProjectSettings = (
  boot: Pick<Boot, 'session'>,
  { lead_id }: Project,
): boolean => canManageWorkspace(boot) || lead_id === boot.session.user.id
