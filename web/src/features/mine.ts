/** Screens that are small, and what opens from several of them: one file, because each would cost one more request. */

export { Inbox } from './inbox/inbox.tsx'
export { MyWork } from './my/my-work.tsx'
export { ProjectSettings } from './projects/project-settings.tsx'
export { Projects } from './projects/projects.tsx'
export { Search } from './search/search.tsx'
export { duplicate } from './templates/copy.tsx'
export { openSaveTemplate } from './templates/save.tsx'
export { openUseTemplate } from './templates/use.tsx'
