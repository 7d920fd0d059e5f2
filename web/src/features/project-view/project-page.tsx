import './list/task-list.css'
import './filter/filter-bar.css'
import { useParams } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { findProjectByPrefix } from '../../data/session/boot.ts'
import { ErrorBoundary } from '../../ui/feedback/error-boundary.tsx'
import { LazyProjectNotFound } from './lazy/deferred-components.ts'
import { ListScreen, type ProjectScreenProps } from './list/list-screen.tsx'
import {
  ProjectPageProvider,
  type ProjectWithoutCounts,
  type StableBoot,
  useCreateProjectPageContext,
  useStableBoot,
} from './project-page-context.ts'
import { ProjectViewContext, useProjectView } from './project-view.ts'

const loadScheduleScreens = () => import('./schedule/schedule-screens.ts')
const SCREEN_BY_SHAPE = {
  board: lazy(() => import('./board/board-screen.tsx').then((it) => ({ default: it.BoardScreen }))),
  timeline: lazy(() => loadScheduleScreens().then((it) => ({ default: it.TimelineScreen }))),
  calendar: lazy(() => loadScheduleScreens().then((it) => ({ default: it.CalendarScreen }))),
}

const EMPTY_PAGE = <main className="paper on-desk" id="work" />

/** The tasks of a project as a list, board, timeline or calendar, depending on the URL. */
export function ProjectPage() {
  const { prefix } = useParams({ from: '/w/$workspaceId/p/$prefix' })
  const boot = useStableBoot()
  const project = findProjectByPrefix(boot, prefix)
  if (!project) {
    return (
      <Suspense fallback={EMPTY_PAGE}>
        <LazyProjectNotFound prefix={prefix} />
      </Suspense>
    )
  }
  return (
    <ErrorBoundary resetKey={project.id}>
      <ProjectScreens key={project.id} boot={boot} project={project} />
    </ErrorBoundary>
  )
}

interface ProjectScreensProps {
  boot: StableBoot
  project: ProjectWithoutCounts
}

function ProjectScreens({ boot, project }: ProjectScreensProps) {
  const context = useCreateProjectPageContext(boot, project)
  const { view, setView, open } = useProjectView()
  const props: ProjectScreenProps = { view, setView, ...(open && { open }) }
  const Screen = view.kind === 'list' ? undefined : SCREEN_BY_SHAPE[view.kind]
  return (
    <ProjectPageProvider value={context}>
      <ProjectViewContext value={view}>
        {Screen ? (
          <Suspense key={view.kind} fallback={EMPTY_PAGE}>
            <Screen {...props} />
          </Suspense>
        ) : (
          <ListScreen {...props} />
        )}
      </ProjectViewContext>
    </ProjectPageProvider>
  )
}
