import { useEffect, useState, useSyncExternalStore } from 'react'
import { bulkProgress } from '../../data/bulk-progress.ts'
import { elsewhere } from '../../data/elsewhere.ts'
import { discard, retry, retryAll, waiting } from '../../data/queue.ts'
import { switchWorkspace } from '../../data/session.ts'
import { toast } from '../../data/toasts.ts'
import { newVersion } from '../../data/version.ts'
import { dayTimeOf } from '../../lib/instant.ts'
import { readSince } from '../../lib/kept-replies.ts'
import { pausedUntil } from '../../lib/pause.ts'
import { Problem } from '../../lib/problem.ts'
import { useSignal } from '../../lib/signal.ts'
import { m } from '../../messages/shell.ts'
import { announce } from '../../ui/announce.ts'
import { messageOf } from '../../ui/trouble.tsx'

/** What has to be known above every screen: no network, a limit reached, another tab's workspace. */
export function Bars({ workspaceId }: { workspaceId: string }) {
  return (
    <div className="bars">
      <div role="status">
        <Offline />
        <Unsaved />
        <Elsewhere workspaceId={workspaceId} />
        <NewVersion />
      </div>
      <Limited />
      <Changing />
    </div>
  )
}

const whenOnline = (listener: () => void) => {
  addEventListener('online', listener)
  addEventListener('offline', listener)
  return () => {
    removeEventListener('online', listener)
    removeEventListener('offline', listener)
  }
}

function Offline() {
  const online = useSyncExternalStore(whenOnline, () => navigator.onLine)
  const { length } = useSignal(waiting)
  const since = useSignal(readSince)
  if (online && since === undefined) return null
  return (
    <p className="bar">
      {online ? m.unanswered : m.offline(length)}
      {since !== undefined && m.readSince(dayTimeOf(new Date(since).toISOString()))}
    </p>
  )
}

function Unsaved() {
  const unsaved = useSignal(waiting).filter(({ state }) => state === 'unsaved')
  if (unsaved.length > MOST_BARS) {
    return (
      <p className="bar trouble">
        <b>{m.manyUnsaved(unsaved.length)}</b>
        <button type="button" className="btn" onClick={retryAll}>
          {m.retryAll}
        </button>
      </p>
    )
  }
  return unsaved.map(({ key, label, error }) => (
    <p key={key} className="bar trouble">
      <b>{m.unsaved}</b> {label}
      {error instanceof Problem && error.status < 500 && <span>{error.message}</span>}
      {error instanceof Problem && <code>{error.request_id}</code>}
      <button type="button" className="btn" onClick={() => retry(key)}>
        {m.retry}
      </button>
      <button type="button" className="btn" onClick={() => discard(key)}>
        {m.discard}
      </button>
    </p>
  ))
}

/** More than these would leave little of the screen. */
const MOST_BARS = 3

/** A timer, not a status: nobody wants each second read out. */
function Limited() {
  const until = useSignal(pausedUntil)
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (until === 0) return
    setNow(Date.now())
    announce(m.limitedTold)
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [until])
  const seconds = Math.ceil((until - now) / 1000)
  return seconds > 0 ? (
    <p className="bar" role="timer">
      {m.limited(seconds)}
    </p>
  ) : null
}

/** How far a change of many tasks is. */
function Changing() {
  const now = useSignal(bulkProgress)
  return (
    now && (
      <p className="bar">
        <span role="progressbar" aria-valuemax={now.total} aria-valuenow={now.done}>
          {m.changing(now.done, now.total)}
        </span>
        <button type="button" className="btn" onClick={now.stop}>
          {m.stop}
        </button>
      </p>
    )
  )
}

function Elsewhere({ workspaceId }: { workspaceId: string }) {
  const other = useSignal(elsewhere)
  if (!other) return null
  const { user, workspace, otherPerson } = other
  const back = () => {
    switchWorkspace(workspaceId).catch((error) =>
      toast({ text: messageOf(error), tone: 'trouble' }),
    )
  }
  return (
    <p className="bar">
      {otherPerson ? m.someoneElse(user.name) : m.elsewhere(workspace.name)}
      <button type="button" className="btn" onClick={otherPerson ? () => location.reload() : back}>
        {otherPerson ? m.loadAnew : m.switchBack}
      </button>
    </p>
  )
}

function NewVersion() {
  if (!useSignal(newVersion)) return null
  return (
    <p className="bar">
      {m.newVersion}
      <button type="button" className="btn" onClick={() => location.reload()}>
        {m.reload}
      </button>
    </p>
  )
}
