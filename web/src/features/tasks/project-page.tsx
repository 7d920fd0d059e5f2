import '../../styles/list.css'
import { useParams } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import type { Project } from '#resources/projects/contract.ts'
import { projectByPrefix, useBoot } from '../../data/boot.ts'
import { Boundary } from '../../ui/boundary.tsx'
import { ListScreen } from './list-screen.tsx'
import { NoProject } from './no-project.tsx'
import { ScreenOf, useNewScreen } from './screen.ts'
import { useView, ViewContext } from './view.ts'

const plans = () => import('./plan/plans.ts')
const SCREENS = {
  board: lazy(() => import('./board/board-screen.tsx').then((it) => ({ default: it.BoardScreen }))),
  timeline: lazy(() => plans().then((it) => ({ default: it.TimelineScreen }))),
  calendar: lazy(() => plans().then((it) => ({ default: it.CalendarScreen }))),
}

/** A project's tasks as a list, a board, a timeline or a calendar, as the address says. */
export function ProjectPage() {
  const { prefix } = useParams({ from: '/w/$workspaceId/p/$prefix' })
  const project = projectByPrefix(useBoot(), prefix)
  if (!project) return <NoProject prefix={prefix} />
  return (
    <Boundary resetKey={project.id}>
      <OneProject key={project.id} project={project} />
    </Boundary>
  )
}

function OneProject({ project }: { project: Project }) {
  const screen = useNewScreen(project)
  const { view, look, open } = useView()
  const props = { view, look, ...(open && { open }) }
  const Screen = view.shape === 'list' ? undefined : SCREENS[view.shape]
  return (
    <ScreenOf value={screen}>
      <ViewContext value={view}>
        {Screen ? (
          <Suspense key={view.shape} fallback={<main className="paper on-desk" id="work" />}>
            <Screen {...props} />
          </Suspense>
        ) : (
          <ListScreen {...props} />
        )}
      </ViewContext>
    </ScreenOf>
  )
}
