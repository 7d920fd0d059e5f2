import './shell.css'
import { Outlet, useParams } from '@tanstack/react-router'
import { lazy, Suspense, useEffect } from 'react'
import { openLiveUpdates } from '../../data/live/live-updates.ts'
import { useHasBoot } from '../../data/session/boot.ts'
import { firstScreenLoaded, markLoaded } from '../../lib/browser/schedule-preload.ts'
import { shellMessages } from '../../messages/app/shell.ts'
import { loadShellOverlays } from './account-menu.tsx'
import { Banners } from './banners.tsx'
import { Sidebar, TabBar } from './sidebar.tsx'
import { useGlobalShortcuts } from './use-global-shortcuts.ts'

const Overlays = lazy(async () => {
  await firstScreenLoaded
  const { Overlays } = await loadShellOverlays()
  return { default: Overlays }
})

const WORKER_DELAY_MS = 2_000

/** A list says so itself, once it has its first rows. */
const LIST_PATH = /^\/w\/[^/]+\/p\/[^/]+$/

/** The frame of a workspace: banners, sidebar, screen and overlays. */
export function Shell() {
  const hasBoot = useHasBoot()
  const { workspaceId } = useParams({ from: '/w/$workspaceId' })
  useEffect(() => {
    if (!LIST_PATH.test(location.pathname)) markLoaded()
  }, [])
  useEffect(() => openLiveUpdates(workspaceId), [workspaceId])
  // biome-ignore lint/correctness/useExhaustiveDependencies: workspaces have own mutations
  useEffect(() => {
    const ending = new AbortController()
    const resumed = import('../../data/offline/mutation-engine.ts').then((module) =>
      module.resumeStoredMutations(ending.signal),
    )
    // If the module fails to load, the stored changes are kept and the next page resumes them.
    resumed.catch(() => undefined)
    // Waits until the screen is interactive, because the service worker caches the files it has
    // loaded.
    const timer = setTimeout(() => {
      import('../../data/offline/service-worker.ts')
        .then((module) => module.registerServiceWorker())
        .catch(() => undefined)
    }, WORKER_DELAY_MS)
    return () => {
      ending.abort()
      clearTimeout(timer)
    }
  }, [workspaceId])
  useGlobalShortcuts(workspaceId)
  if (!hasBoot) return null
  return (
    <>
      <a className="skip" href="#work">
        {shellMessages.skip}
      </a>
      <Banners workspaceId={workspaceId} />
      <div className="app">
        <Sidebar />
        <Outlet />
      </div>
      <TabBar />
      <Suspense>
        <Overlays />
      </Suspense>
    </>
  )
}
