import './banners.css'
import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from 'react'
import { showToast } from '../../data/app/toasts.ts'
import { mutationQueue } from '../../data/mutations/mutation-queue.ts'
import { sessionMismatch } from '../../data/session/current-session.ts'
import { switchToWorkspace } from '../../data/session/switch-workspace.ts'
import { firstScreenLoaded } from '../../lib/browser/schedule-preload.ts'
import { formatDayTime } from '../../lib/dates/instant.ts'
import { hasAnsweredSince } from '../../lib/http/fetch-or-throw.ts'
import { staleSince } from '../../lib/http/reply-cache.ts'
import { useAtom } from '../../lib/state/atom.ts'
import { shellMessages } from '../../messages/app/shell.ts'
import { getErrorMessage } from '../../ui/feedback/error-message.tsx'

/** Banners above every screen: offline, rate limit reached, another workspace in another tab. */
export function Banners({ workspaceId }: { workspaceId: string }) {
  return (
    <div className="bars">
      <div role="status">
        <OfflineBanner />
        <Suspense>
          <StatusBanners />
        </Suspense>
        <SessionMismatchBanner workspaceId={workspaceId} />
      </div>
      <Suspense>
        <ProgressBanners />
      </Suspense>
    </div>
  )
}

const subscribeToOnline = (listener: () => void) => {
  addEventListener('online', listener)
  addEventListener('offline', listener)
  return () => {
    removeEventListener('online', listener)
    removeEventListener('offline', listener)
  }
}

/** A page that has opened from the cache tells so only if it has no answer after this time. */
const UNANSWERED_DELAY_MS = 4_000

function OfflineBanner() {
  const online = useSyncExternalStore(subscribeToOnline, () => navigator.onLine)
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
const loadOverlays = () => firstScreenLoaded.then(() => import('./overlays.tsx'))
const StatusBanners = lazy(() => loadOverlays().then((it) => ({ default: it.StatusBanners })))
const ProgressBanners = lazy(() => loadOverlays().then((it) => ({ default: it.ProgressBanners })))

/** Tells that another tab has gone to another workspace, or belongs to another person. */
function SessionMismatchBanner({ workspaceId }: { workspaceId: string }) {
  const mismatch = useAtom(sessionMismatch)
  if (!mismatch) return null
  const { user, workspace, otherPerson } = mismatch
  const switchBack = () => {
    switchToWorkspace(workspaceId).catch((error) =>
      showToast({ text: getErrorMessage(error), tone: 'trouble' }),
    )
  }
  return (
    <p className="bar">
      {otherPerson
        ? shellMessages.otherPerson(user.name)
        : shellMessages.otherWorkspace(workspace?.name ?? shellMessages.anotherWorkspace)}
      <button
        type="button"
        className="btn"
        onClick={otherPerson ? () => location.reload() : switchBack}
      >
        {otherPerson ? shellMessages.loadAnew : shellMessages.switchBack}
      </button>
    </p>
  )
}
