import { lazy, Suspense, useEffect } from 'react'
import { useAtom } from '../../lib/state/atom.ts'
import { ErrorBoundary } from '../feedback/error-boundary.tsx'
import { loadOverlays, preloadOverlaysWhenIdle } from './load-overlays.ts'
import { overlayStack } from './overlay-stack.ts'

const OverlayView = lazy(loadOverlays)

/** Renders all open menus, pickers and dialogs; mounted once in the app. */
export function OverlayHost() {
  const overlays = useAtom(overlayStack)
  useEffect(preloadOverlaysWhenIdle, [])
  return overlays.map((overlay) => (
    <ErrorBoundary key={overlay.id}>
      <Suspense>
        <OverlayView {...overlay} />
      </Suspense>
    </ErrorBoundary>
  ))
}
