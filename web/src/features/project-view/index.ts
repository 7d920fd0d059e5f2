/** Changing tasks in place, as a project's list does. The screen is project-page.tsx. */

export { BlockedBadge, getBlockerLabel } from './blocked-badge.tsx'
export { BulkActions } from './bulk/bulk-actions.tsx'
export { openFieldPickerFor } from './commands/field-pickers.tsx'
export { runCommandOnTasks } from './commands/run-command.tsx'
export * as taskCommands from './commands/task-commands.ts'
export type { PickerField } from './lazy/with-deferred.ts'
export { createDeleteGuard } from './project-page-context.ts'
export { createPlaceholderTask } from './quick-add/placeholder-task.ts'
export { TitleField } from './rows/title-field.tsx'
