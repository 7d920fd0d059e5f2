/**
 * Code that the first rows of a list do not need; it is loaded as one chunk after they are shown.
 */

export { BulkBar, runInBulk } from '../bulk/bulk-bar.tsx'
export { openLoadedFieldPicker } from '../commands/field-pickers.tsx'
export { moveTaskBy } from '../drag/move-task.ts'
export { startRowDrag } from '../drag/row-drag.ts'
export { copyCurlCommand } from '../export/copy-curl-command.ts'
export { downloadTasksCsv } from '../export/download-tasks-csv.ts'
export { FilterEditor } from '../filter/filter-editor.tsx'
export { FilterRow } from '../filter/filter-row.tsx'
export { UnarchiveButton } from '../header/unarchive-button.tsx'
export { openViewSheet } from '../header/view-sheet.tsx'
export { NoTasks } from '../no-tasks.tsx'
export { ProjectNotFound } from '../project-not-found.tsx'
export { QuickAddField } from '../quick-add/quick-add-field.tsx'
export { MatchedTitle, MatchSnippet } from '../rows/match-snippet.tsx'
export { SavedViews } from '../saved-views/saved-views.tsx'
export { RetainSelection } from '../selection/retain-selection.ts'
export { TreegridKeys } from '../selection/treegrid-keys.ts'
