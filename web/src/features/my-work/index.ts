/** Lists of tasks over several projects. The screens are in screens-bundle.ts. */

export { CrossProjectBulkBar } from './cross-project-bulk-bar.tsx'
export {
  type CrossProjectSelection,
  CrossProjectSelectionProvider,
  useCreateCrossProjectSelection,
} from './cross-project-selection.ts'
export { CrossProjectTaskRow, OpenTaskLink } from './cross-project-task-row.tsx'
export { useCrossProjectShortcuts } from './use-cross-project-shortcuts.ts'
export { type RowFocus, useRowFocus } from './use-row-focus.ts'
