/** The list of projects, and a project's settings. */

export { ProjectSettings } from './project-settings.tsx'
export { Projects } from './projects.tsx'
