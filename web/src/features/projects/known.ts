import type { Project } from '#resources/projects/contract.ts'
import { type Boot, changeBoot, manages } from '../../data/boot.ts'

/** Knows a project that was made or changed, wherever the page names it. */
export const takeProject = (project: Project): void =>
  changeBoot((boot) => ({
    ...boot,
    projects: boot.projects.some(({ id }) => id === project.id)
      ? boot.projects.map((one) => (one.id === project.id ? project : one))
      : [...boot.projects, project],
  }))

/** Whether the person may change a project's settings (contract 9.2). */
export const maySettle = (boot: Boot, { lead_id }: Project): boolean =>
  manages(boot) || lead_id === boot.session.user.id
