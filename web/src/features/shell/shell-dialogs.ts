/** The dialogs of the frame, which are loaded as one chunk after the first screen. */

export { Palette } from '../palette/palette.tsx'
export { openFirstSteps } from './first-steps.tsx'
export { openRecentChanges } from './recent-changes.tsx'
export { ShortcutsDialog } from './shortcuts-dialog.tsx'
