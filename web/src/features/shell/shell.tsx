import { Outlet, useParams } from '@tanstack/react-router'
import { lazy, Suspense, useEffect } from 'react'
import { BootContext, useBootSignal } from '../../data/boot.ts'
import { openLive } from '../../data/live.ts'
import { m } from '../../messages/shell.ts'
import { Bars } from './bars.tsx'
import { useGlobalKeys } from './global-keys.ts'
import { Side, TabBar } from './side.tsx'

const Overlays = lazy(() =>
  import('./overlays.tsx').then(({ Overlays }) => ({ default: Overlays })),
)

const STANDS_MS = 2_000

/** The frame of a workspace: the sidebar, the screen, what floats above. */
export function Shell() {
  const boot = useBootSignal()
  const { workspaceId } = useParams({ from: '/w/$workspaceId' })
  useEffect(() => openLive(workspaceId), [workspaceId])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another workspace has writes of its own
  useEffect(() => {
    const resumed = import('../../data/resume.ts').then((it) => it.resumeWrites())
    // What could not be loaded is kept, and resumed by the next page.
    resumed.catch(() => undefined)
    // Not before the screen stands: it copies what that has loaded.
    const later = setTimeout(() => {
      import('../../data/worker.ts').then((it) => it.beginWorker()).catch(() => undefined)
    }, STANDS_MS)
    return () => clearTimeout(later)
  }, [workspaceId])
  useGlobalKeys(workspaceId)
  if (!boot) return null
  return (
    <BootContext value={boot}>
      <a className="skip" href="#work">
        {m.skip}
      </a>
      <Bars workspaceId={workspaceId} />
      <div className="app">
        <Side />
        <Outlet />
      </div>
      <TabBar />
      <Suspense>
        <Overlays />
      </Suspense>
    </BootContext>
  )
}
