/** The list of projects, and a project's settings. */

export { openCreateProjectDialog } from './create-project-dialog.tsx'
export { ProjectSettings } from './project-settings.tsx'
export { Projects, useNoProjectsText } from './projects.tsx'
