import type { Project } from '#resources/projects/contract.ts'
import type { View } from '#resources/web-app/views/internal.ts'

/** The default order of a page; only the tasks of a project have one by hand. */
export const DEFAULT_SORTS = { project: 'position', all: '-priority' } as const

/** The search parameters of a saved view's URL; the default values of its page are left out. */
export const toSavedViewSearch = ({ id, project_id, view, f, sort, group, lanes }: View) => ({
  saved: id,
  ...(view !== 'list' && { view }),
  ...(f && { f }),
  ...(sort !== DEFAULT_SORTS[project_id === null ? 'all' : 'project'] && { sort }),
  ...(group !== 'status' && { group }),
  ...(lanes !== 'none' && { lanes }),
})

/** Where a saved view opens; undefined if its project is not among these. */
export function getSavedViewLink(
  view: View,
  workspaceId: string,
  projects: readonly Pick<Project, 'id' | 'prefix'>[],
) {
  const search = toSavedViewSearch(view)
  if (view.project_id === null)
    return { to: '/w/$workspaceId/all', params: { workspaceId }, search } as const
  const project = projects.find(({ id }) => id === view.project_id)
  const to = '/w/$workspaceId/p/$prefix'
  return project && ({ to, params: { workspaceId, prefix: project.prefix }, search } as const)
}
