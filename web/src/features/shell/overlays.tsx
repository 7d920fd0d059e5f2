import '../../ui/form/leave-field-with-page.ts'
import { useBlocker } from '@tanstack/react-router'
import { lazy, Suspense, useEffect } from 'react'
import { schedulePreload } from '../../lib/browser/schedule-preload.ts'
import { hasSessionEnded } from '../../lib/http/session-ended.ts'
import { useAtom } from '../../lib/state/atom.ts'
import { ErrorBoundary } from '../../ui/feedback/error-boundary.tsx'
import { Toasts } from '../../ui/feedback/toasts.tsx'
import { unsavedForms } from '../../ui/form/unsaved-forms.ts'
import { confirmFormLoss } from '../../ui/overlays/confirm-form-loss.ts'
import { OverlayHost } from '../../ui/overlays/overlay-host.tsx'
import { paletteState } from '../palette/index.ts'
import { shortcutsState } from './shortcuts-state.ts'
import { tourState } from './tour-state.ts'

export { openMessageHistory } from '../../ui/feedback/message-history.tsx'
export { confirmSignOut } from './confirm-sign-out.ts'
export { ProgressBanners, StatusBanners } from './rare-banners.tsx'

const loadDialogs = () => import('./shell-dialogs.ts')
const Palette = lazy(() => loadDialogs().then((it) => ({ default: it.Palette })))
const ShortcutsDialog = lazy(() => loadDialogs().then((it) => ({ default: it.ShortcutsDialog })))
const Tour = lazy(() => loadDialogs().then((it) => ({ default: it.Tour })))

const loadSignIn = () => import('../accounts/accounts.ts')
const SessionEndedDialog = lazy(() =>
  loadSignIn().then(({ SessionEndedDialog }) => ({ default: SessionEndedDialog })),
)

/** Everything above the screen. If it fails, the screen and unsent changes are not affected. */
export function Overlays() {
  const openedPalette = useAtom(paletteState)
  const hasShortcutsOpen = useAtom(shortcutsState)
  const tourMode = useAtom(tourState)
  const hasEnded = useAtom(hasSessionEnded)
  const hasUnsavedForm = useAtom(unsavedForms).length > 0
  // Loaded in advance, also because the server may already have a newer version of the app when the
  // session ends.
  useEffect(() => schedulePreload(loadDialogs, loadSignIn), [])
  return (
    <>
      <Toasts />
      <OverlayHost />
      {hasUnsavedForm && <UnsavedFormGuard />}
      <ErrorBoundary
        resetKey={`${openedPalette !== undefined} ${hasShortcutsOpen} ${tourMode} ${hasEnded}`}
      >
        <Suspense>
          {openedPalette && <Palette typed={openedPalette.typed} />}
          {hasShortcutsOpen && <ShortcutsDialog />}
          {tourMode && <Tour key={tourMode} isRequested={tourMode === 'requested'} />}
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
