/** What the first rows of a list do not need: loaded together, once they are there. */

export { changeMany } from '../../data/bulk.ts'
export { AddField } from './add-field.tsx'
export { saveTasks } from './as-csv.ts'
export { BulkBar } from './bulk-bar.tsx'
export { FilterField } from './filter-field.tsx'
export { NoneLeft } from './none-left.tsx'
export { SavedViews } from './saved/saved-views.tsx'
export { openViewSheet } from './view-sheet.tsx'
