import './banners.css'
import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from 'react'
import { isNewVersionAvailable } from '../../data/app/app-version.ts'
import { showToast } from '../../data/app/toasts.ts'
import { bulkProgress } from '../../data/mutations/bulk-progress.ts'
import { mutationQueue } from '../../data/mutations/mutation-queue.ts'
import { sessionMismatch } from '../../data/session/current-session.ts'
import { switchToWorkspace } from '../../data/session/session-actions.ts'
import { firstScreenLoaded } from '../../lib/browser/schedule-preload.ts'
import { formatDayTime } from '../../lib/dates/instant.ts'
import { staleSince } from '../../lib/http/reply-cache.ts'
import { rateLimitPause } from '../../lib/http/request-pause.ts'
import { useAtom } from '../../lib/state/atom.ts'
import { shellMessages } from '../../messages/app/shell.ts'
import { announce } from '../../ui/feedback/announce.ts'
import { getErrorMessage } from '../../ui/feedback/error-message.tsx'

/** Banners above every screen: offline, rate limit reached, another workspace in another tab. */
export function Banners({ workspaceId }: { workspaceId: string }) {
  return (
    <div className="bars">
      <div role="status">
        <OfflineBanner />
        <Suspense>
          <UnsavedBanners />
        </Suspense>
        <SessionMismatchBanner workspaceId={workspaceId} />
        <NewVersionBanner />
      </div>
      <RateLimitBanner />
      <BulkProgressBanner />
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

/** A page that opens shows what the browser has kept, until the answer comes, which is mostly soon. */
const UNANSWERED_DELAY_MS = 4_000

function OfflineBanner() {
  const online = useSyncExternalStore(subscribeToOnline, () => navigator.onLine)
  const { length } = useAtom(mutationQueue)
  const since = useAtom(staleSince)
  const [isLong, setLong] = useState(false)
  const isStale = since !== undefined
  useEffect(() => {
    setLong(false)
    if (!isStale) return
    const timer = setTimeout(() => setLong(true), UNANSWERED_DELAY_MS)
    return () => clearTimeout(timer)
  }, [isStale])
  if (online && !isLong) return null
  return (
    <p className="bar">
      {online ? shellMessages.unanswered : shellMessages.offline(length)}
      {since !== undefined && shellMessages.readSince(formatDayTime(new Date(since).toISOString()))}
    </p>
  )
}

/** Loaded with the overlays, so that it is there when the network is not. */
const UnsavedBanners = lazy(async () => {
  await firstScreenLoaded
  const { UnsavedBanners } = await import('./overlays.tsx')
  return { default: UnsavedBanners }
})

/**
 * Has the role timer, not status, because a screen reader would read out each second of a status.
 */
function RateLimitBanner() {
  const until = useAtom(rateLimitPause)
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (until === 0) return
    setNow(Date.now())
    announce(shellMessages.rateLimitedNotice)
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [until])
  const seconds = Math.ceil((until - now) / 1000)
  return seconds > 0 ? (
    <p className="bar" role="timer">
      {shellMessages.rateLimited(seconds)}
    </p>
  ) : null
}

/** The progress of a bulk change. */
function BulkProgressBanner() {
  const progress = useAtom(bulkProgress)
  if (!progress) return null
  const { done, total, stop } = progress
  const text = shellMessages.changing(done, total)
  return (
    <p className="bar">
      <span role="progressbar" aria-label={text} aria-valuemax={total} aria-valuenow={done}>
        {text}
      </span>
      <button type="button" className="btn" onClick={stop}>
        {shellMessages.stop}
      </button>
    </p>
  )
}

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

function NewVersionBanner() {
  if (!useAtom(isNewVersionAvailable)) return null
  return (
    <p className="bar">
      {shellMessages.newVersion}
      <button type="button" className="btn" onClick={() => location.reload()}>
        {shellMessages.reload}
      </button>
    </p>
  )
}
