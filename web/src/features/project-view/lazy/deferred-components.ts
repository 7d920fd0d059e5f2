import { type ComponentType, type ReactNode, useEffect } from 'react'
import { schedulePreload } from '../../../lib/browser/schedule-preload.ts'
import { lazyScreen } from '../../lazy-screen.tsx'
import { LazyComponent } from './lazy-field.tsx'

const loadBundle = () => import('./deferred-bundle.ts')

export const lazyQuickAddField = new LazyComponent(() =>
  loadBundle().then((it) => it.QuickAddField),
)
const Message = ({ children }: { children: ReactNode }) => children
const Nothing = () => undefined
const Title = ({ title }: { title: string }) => title

/** A part of the deferred code. If that cannot be loaded, the rest of the page stays; `Place` says so, if it can be seen. */
const lazyPart = <P extends object>(
  pick: (bundle: Awaited<ReturnType<typeof loadBundle>>) => ComponentType<P>,
  Place: ComponentType<P & { children: ReactNode }> = Message,
) => lazyScreen(() => loadBundle().then(pick), Place)

export const LazyBulkBar = lazyPart((it) => it.BulkBar)
export const LazyFilterEditor = lazyPart((it) => it.FilterEditor)
export const LazyFilterRow = lazyPart((it) => it.FilterRow)
export const LazySavedViews = lazyPart((it) => it.SavedViews)
export const LazyUnarchiveButton = lazyPart((it) => it.UnarchiveButton)
export const LazyTreegridKeys = lazyPart((it) => it.TreegridKeys, Nothing)
export const LazyRetainSelection = lazyPart((it) => it.RetainSelection, Nothing)
export const LazyProjectNotFound = lazyPart((it) => it.ProjectNotFound)
export const LazyMatchedTitle = lazyPart((it) => it.MatchedTitle, Title)
export const LazyMatchSnippet = lazyPart((it) => it.MatchSnippet, Nothing)
export const LazyNoTasks = lazyPart((it) => it.NoTasks)

/**
 * Loads the deferred fields as soon as the first rows are shown, so that they open without delay.
 */
export function usePreloadDeferred(): void {
  useEffect(() => {
    schedulePreload(() => lazyQuickAddField.load())
  }, [])
}
