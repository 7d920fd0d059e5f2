import '../../ui/form/leave-field-with-page.ts'
import { Link, useBlocker, useLocation, useParams } from '@tanstack/react-router'
import { lazy, Suspense, useEffect } from 'react'
import { schedulePreload } from '../../lib/browser/schedule-preload.ts'
import { hasSessionEnded } from '../../lib/http/session-ended.ts'
import { useAtom } from '../../lib/state/atom.ts'
import { shellMessages } from '../../messages/app/shell.ts'
import { ErrorBoundary } from '../../ui/feedback/error-boundary.tsx'
import { Toasts } from '../../ui/feedback/toasts.tsx'
import { unsavedForms } from '../../ui/form/unsaved-forms.ts'
import { confirmFormLoss } from '../../ui/overlays/confirm-form-loss.ts'
import '../../ui/overlays/replay-keys.ts'
import '../../ui/pointer/swipe-rows.ts'
import { OverlayHost } from '../../ui/overlays/overlay-host.tsx'
import { paletteState } from '../palette/index.ts'
import { TimerSlip } from '../timer/index.ts'
import { shortcutsState } from './shortcuts-state.ts'
import { loadComposer } from './start-new-task.ts'

export { confirmSignOut } from './confirm-sign-out.ts'
export { ProgressBanners, StatusBanners } from './rare-banners.tsx'

const loadDialogs = () => import('./shell-dialogs.ts')
const Palette = lazy(() => loadDialogs().then((it) => ({ default: it.Palette })))
const ShortcutsDialog = lazy(() => loadDialogs().then((it) => ({ default: it.ShortcutsDialog })))

const loadSignIn = () => import('../accounts/accounts.ts')
/** Loads the dialog for another workspace and opens it. */
export const openNewWorkspace = async (): Promise<void> =>
  (await loadSignIn()).openCreateWorkspaceDialog()
const SessionEndedDialog = lazy(() =>
  loadSignIn().then(({ SessionEndedDialog }) => ({ default: SessionEndedDialog })),
)

/** Everything above the screen. If it fails, the screen and unsent changes are not affected. */
export function Overlays() {
  const openedPalette = useAtom(paletteState)
  const hasShortcutsOpen = useAtom(shortcutsState)
  const hasEnded = useAtom(hasSessionEnded)
  const params = useParams({ from: '/w/$workspaceId' })
  // There it is the first line.
  const isOnMyWork = useLocation().pathname.endsWith('/my')
  const hasUnsavedForm = useAtom(unsavedForms).length > 0
  // Loaded in advance, also because the server may already have a newer version of the app when the
  // session ends.
  useEffect(() => schedulePreload(loadDialogs, loadComposer, loadSignIn), [])
  return (
    <>
      <Toasts
        trashLink={
          <Link className="btn plain" to="/w/$workspaceId/trash" params={params} search={{}}>
            {shellMessages.trash}
          </Link>
        }
      />
      {!isOnMyWork && <TimerSlip className="timer-slip" />}
      <OverlayHost />
      {hasUnsavedForm && <UnsavedFormGuard />}
      <ErrorBoundary resetKey={`${openedPalette !== undefined} ${hasShortcutsOpen} ${hasEnded}`}>
        <Suspense>
          {openedPalette && <Palette typed={openedPalette.typed} />}
          {hasShortcutsOpen && <ShortcutsDialog />}
          {hasEnded && <SessionEndedDialog />}
        </Suspense>
      </ErrorBoundary>
    </>
  )
}

interface ScreenLocation {
  pathname: string
  search: object
}

/** The screen, its tab, and the task that is open beside it. */
function formatScreenLocation({ pathname, search }: ScreenLocation): string {
  const { tab, task }: { tab?: unknown; task?: unknown } = search
  return JSON.stringify([pathname, tab, task])
}

/** Asks before the person leaves a form with edits. Dialogs stay open over another screen. */
function UnsavedFormGuard(): null {
  useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      const isLeft = formatScreenLocation(current) !== formatScreenLocation(next)
      return isLeft && !(await confirmFormLoss(document.querySelector('#app')))
    },
    enableBeforeUnload: true,
  })
  return null
}
