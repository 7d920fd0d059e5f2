/** Task templates and their dialogs. */

export { duplicateTask } from './duplicate-task.tsx'
export { openEditTemplateDialog } from './edit-template-dialog.tsx'
export { openSaveTemplateDialog } from './save-template-dialog.tsx'
export { openUseTemplateDialog } from './use-template-dialog.tsx'
