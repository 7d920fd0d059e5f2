import './shell.css'
import { Outlet, useParams } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { openLiveUpdates } from '../../data/live/live-updates.ts'
import { useHasBoot } from '../../data/session/boot.ts'
import { firstScreenLoaded, markLoaded } from '../../lib/browser/schedule-preload.ts'
import { shellMessages } from '../../messages/app/shell.ts'
import { loadShellOverlays } from './account-menu.tsx'
import { Sidebar, TabBar } from './sidebar.tsx'
import { useGlobalShortcuts } from './use-global-shortcuts.ts'
import './banners.css'
import { mutationQueue } from '../../data/mutations/mutation-queue.ts'
import { useOnline } from '../../lib/browser/online.ts'
import { formatDayTime } from '../../lib/dates/instant.ts'
import { hasAnsweredSince } from '../../lib/http/fetch-or-throw.ts'
import { staleSince } from '../../lib/http/reply-cache.ts'
import { useAtom } from '../../lib/state/atom.ts'

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

/** Banners above every screen: offline, rate limit reached, another workspace in another tab. */
function Banners({ workspaceId }: { workspaceId: string }) {
  return (
    <div className="bars">
      <div role="status">
        <OfflineBanner />
        <Suspense>
          <StatusBanners workspaceId={workspaceId} />
        </Suspense>
      </div>
      <Suspense>
        <ProgressBanners />
      </Suspense>
    </div>
  )
}

/** A page that has opened from the cache tells so only if it has no answer after this time. */
const UNANSWERED_DELAY_MS = 4_000

function OfflineBanner() {
  const online = useOnline()
  const { length } = useAtom(mutationQueue)
  const since = useAtom(staleSince)
  const [isOverdue, setOverdue] = useState(false)
  const isStale = since !== undefined
  useEffect(() => {
    setOverdue(false)
    if (!isStale) return
    const timer = setTimeout(() => setOverdue(true), hasAnsweredSince(0) ? 0 : UNANSWERED_DELAY_MS)
    return () => clearTimeout(timer)
  }, [isStale])
  if (online && !isOverdue) return null
  return (
    <p className="bar">
      {online ? shellMessages.unanswered : shellMessages.offline(length)}
      {since !== undefined && shellMessages.readSince(formatDayTime(new Date(since).toISOString()))}
    </p>
  )
}

/** Loaded with the overlays, so that they are there when the network is not. */
const loadBanners = () => firstScreenLoaded.then(loadShellOverlays)
const StatusBanners = lazy(() => loadBanners().then((it) => ({ default: it.StatusBanners })))
const ProgressBanners = lazy(() => loadBanners().then((it) => ({ default: it.ProgressBanners })))
