import './banners.css'
import { lazy, Suspense, useEffect, useState } from 'react'
import { mutationQueue } from '../../data/mutations/mutation-queue.ts'
import { useOnline } from '../../lib/browser/online.ts'
import { firstScreenLoaded } from '../../lib/browser/schedule-preload.ts'
import { formatDayTime } from '../../lib/dates/instant.ts'
import { hasAnsweredSince } from '../../lib/http/fetch-or-throw.ts'
import { staleSince } from '../../lib/http/reply-cache.ts'
import { useAtom } from '../../lib/state/atom.ts'
import { shellMessages } from '../../messages/app/shell.ts'
import { loadShellOverlays } from './account-menu.tsx'

/** Banners above every screen: offline, rate limit reached, another workspace in another tab. */
export function Banners({ workspaceId }: { workspaceId: string }) {
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
