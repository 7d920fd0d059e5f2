import { schedulePreload } from '../../lib/browser/schedule-preload.ts'

/** Loads the code of menus, pickers, calendars and dialogs. */
export const loadOverlays = () => import('../lazy/overlay-view.tsx')

/** Starts loading, e.g. when the pointer comes near; an error only shows when an overlay opens. */
export const preloadOverlays = (): void => void loadOverlays().catch(() => undefined)

/** Loads the overlays while the browser is idle. */
export const preloadOverlaysWhenIdle = (): void => schedulePreload(loadOverlays)
