import { lazy, useEffect } from 'react'
import { schedulePreload } from '../../../lib/browser/schedule-preload.ts'
import { LazyComponent } from './lazy-field.tsx'

const loadBundle = () => import('./deferred-bundle.ts')

export const lazyQuickAddField = new LazyComponent(() =>
  loadBundle().then((it) => it.QuickAddField),
)
export const LazyBulkBar = lazy(() => loadBundle().then((it) => ({ default: it.BulkBar })))
export const LazyFilterEditor = lazy(() =>
  loadBundle().then((it) => ({ default: it.FilterEditor })),
)
export const LazyFilterRow = lazy(() => loadBundle().then((it) => ({ default: it.FilterRow })))
export const LazySavedViews = lazy(() => loadBundle().then((it) => ({ default: it.SavedViews })))
export const LazyUnarchiveButton = lazy(() =>
  loadBundle().then((it) => ({ default: it.UnarchiveButton })),
)
export const LazyTreegridKeys = lazy(() =>
  loadBundle().then((it) => ({ default: it.TreegridKeys })),
)
export const LazyRetainSelection = lazy(() =>
  loadBundle().then((it) => ({ default: it.RetainSelection })),
)
export const LazyProjectNotFound = lazy(() =>
  loadBundle().then((it) => ({ default: it.ProjectNotFound })),
)
export const LazyMatchedTitle = lazy(() =>
  loadBundle().then((it) => ({ default: it.MatchedTitle })),
)
export const LazyMatchSnippet = lazy(() =>
  loadBundle().then((it) => ({ default: it.MatchSnippet })),
)
export const LazyNoTasks = lazy(() => loadBundle().then((it) => ({ default: it.NoTasks })))

/**
 * Loads the deferred fields as soon as the first rows are shown, so that they open without delay.
 */
export function usePreloadDeferred(): void {
  useEffect(() => {
    schedulePreload(() => lazyQuickAddField.load())
  }, [])
}
