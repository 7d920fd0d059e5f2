/** The frame around all screens. */

export {
  confirmLossOfOthers,
  confirmSignOut,
  confirmSignOutLoss,
  describeSignOutLoss,
  signOutIfConfirmed,
} from './confirm-sign-out.ts'
export { openFirstSteps } from './first-steps.tsx'
export { offerFirstSteps } from './first-steps-state.ts'
export { goToWorkspace } from './go-to-workspace.ts'
export { NotFoundPage, PageError, ScreenError } from './page-error.tsx'
export { openRecentChanges } from './recent-changes.tsx'
export { Shell } from './shell.tsx'
export { openShortcutsDialog } from './shortcuts-state.ts'
export { startNewTask } from './start-new-task.ts'
