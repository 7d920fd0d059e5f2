/**
 * Small screens, and the dialogs that several of them open. They are one chunk, because each file
 * of its own would cost another request.
 */

export { Inbox } from './inbox/index.ts'
export { openCreateProjectDialog, ProjectSettings, Projects } from './projects/index.ts'
export { duplicateTask, openSaveTemplateDialog, openUseTemplateDialog } from './templates/index.ts'
