import { useEffect, useState, useSyncExternalStore } from 'react'
import { elsewhere } from '../../data/elsewhere.ts'
import { discard, retry, waiting } from '../../data/queue.ts'
import { switchWorkspace } from '../../data/session.ts'
import { newVersion } from '../../data/version.ts'
import { pausedUntil } from '../../lib/pause.ts'
import { Problem } from '../../lib/problem.ts'
import { useSignal } from '../../lib/signal.ts'
import { m } from '../../messages/shell.ts'

/** What has to be known above every screen: no network, a limit reached, another tab's workspace. */
export function Bars({ workspaceId }: { workspaceId: string }) {
  return (
    <div className="bars" role="status">
      <Offline />
      <Unsaved />
      <Limited />
      <Elsewhere workspaceId={workspaceId} />
      <NewVersion />
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
  return online ? null : <p className="bar">{m.offline(length)}</p>
}

function Unsaved() {
  const unsaved = useSignal(waiting).filter(({ state }) => state === 'unsaved')
  return unsaved.map(({ key, label, error }) => (
    <p key={key} className="bar trouble">
      <b>{m.unsaved}</b> {label}
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

function Limited() {
  const until = useSignal(pausedUntil)
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (until === 0) return
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [until])
  const seconds = Math.ceil((until - now) / 1000)
  return seconds > 0 ? <p className="bar">{m.limited(seconds)}</p> : null
}

function Elsewhere({ workspaceId }: { workspaceId: string }) {
  const other = useSignal(elsewhere)
  if (!other) return null
  return (
    <p className="bar">
      {m.elsewhere(other.name)}
      <button type="button" className="btn" onClick={() => void switchWorkspace(workspaceId)}>
        {m.switchBack}
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
