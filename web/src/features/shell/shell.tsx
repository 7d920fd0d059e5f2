import { Outlet, useParams } from '@tanstack/react-router'
import { lazy, Suspense, useEffect } from 'react'
import { BootContext, useBootSignal } from '../../data/boot.ts'
import { stayIn } from '../../data/elsewhere.ts'
import { openLive } from '../../data/live.ts'
import { switchWorkspace } from '../../data/session.ts'
import { m } from '../../messages/shell.ts'
import { Bars } from './bars.tsx'
import { useGlobalKeys } from './global-keys.ts'
import { Side, TabBar } from './side.tsx'

const Overlays = lazy(() =>
  import('./overlays.tsx').then(({ Overlays }) => ({ default: Overlays })),
)

/** The frame of a workspace: the sidebar, the screen, what floats above. */
export function Shell() {
  const boot = useBootSignal()
  const { workspaceId } = useParams({ from: '/w/$workspaceId' })
  const here = boot?.session.workspace.id
  useEffect(() => (here ? openLive(here) : undefined), [here])
  useEffect(() => stayIn(workspaceId), [workspaceId])
  // The address names the workspace: the session follows it, where the person is a member.
  const other = boot && here !== workspaceId
  useEffect(() => {
    if (other) void switchWorkspace(workspaceId)
  }, [other, workspaceId])
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
