import './list/task-list.css'
import './filter/filter-bar.css'
import { useParams } from '@tanstack/react-router'
import { type ComponentType, type ReactNode, Suspense } from 'react'
import { findProjectByPrefix } from '../../data/session/boot.ts'
import { ErrorBoundary } from '../../ui/feedback/error-boundary.tsx'
import { lazyScreen } from '../lazy-screen.tsx'
import { LazyProjectNotFound } from './lazy/deferred-components.ts'
import { ListScreen, type ProjectScreenProps } from './list/list-screen.tsx'
import {
  type PageKind,
  ProjectPageProvider,
  type ProjectWithoutCounts,
  type StableBoot,
  useCreateProjectPageContext,
  useStableBoot,
} from './project-page-context.ts'
import { ProjectViewContext, useViewInAddress } from './project-view.ts'

const EmptyPage = ({ children }: { children?: ReactNode }) => (
  <main className="paper on-desk" id="work">
    {children}
  </main>
)

const loadScheduleScreens = () => import('./schedule/schedule-screens.ts')
const lazyView = (load: () => Promise<ComponentType<ProjectScreenProps>>) =>
  lazyScreen(load, EmptyPage)
const SCREEN_BY_SHAPE = {
  board: lazyView(async () => (await import('./board/board-screen.tsx')).BoardScreen),
  timeline: lazyView(async () => (await loadScheduleScreens()).TimelineScreen),
  calendar: lazyView(async () => (await loadScheduleScreens()).CalendarScreen),
}

/** The tasks of a project as a list, board, timeline or calendar, depending on the URL. */
export function ProjectPage() {
  const { prefix } = useParams({ from: '/w/$workspaceId/p/$prefix' })
  const boot = useStableBoot()
  const project = findProjectByPrefix(boot, prefix)
  if (!project) {
    return (
      <Suspense fallback={<EmptyPage />}>
        <LazyProjectNotFound prefix={prefix} />
      </Suspense>
    )
  }
  return (
    <ErrorBoundary resetKey={project.id}>
      <TaskScreens key={project.id} page="project" {...{ boot, project }} />
    </ErrorBoundary>
  )
}

/** The open tasks of all projects that the person sees, in the same views as those of a project. */
export const AllTasksPage = () => <PageOfAllProjects key="all" page="all" />

/** The person's own tasks: a plan of the week, and what they have created, wait for and have done. */
export const MyWork = () => <PageOfAllProjects key="mine" page="mine" />

function PageOfAllProjects({ page }: { page: 'all' | 'mine' }) {
  return (
    <ErrorBoundary resetKey={page}>
      <TaskScreens boot={useStableBoot()} page={page} project={undefined} />
    </ErrorBoundary>
  )
}

interface TaskScreensProps {
  boot: StableBoot
  page: PageKind
  project: ProjectWithoutCounts | undefined
}

function TaskScreens({ boot, page, project }: TaskScreensProps) {
  const { view, setView, open } = useViewInAddress(page)
  const context = useCreateProjectPageContext(boot, page, project, view.filter)
  const props: ProjectScreenProps = { view, setView, ...(open && { open }) }
  const Screen = view.kind === 'list' ? undefined : SCREEN_BY_SHAPE[view.kind]
  return (
    <ProjectPageProvider value={context}>
      <ProjectViewContext value={view}>
        {Screen ? (
          <Suspense key={view.kind} fallback={<EmptyPage />}>
            <Screen {...props} />
          </Suspense>
        ) : (
          <ListScreen {...props} />
        )}
      </ProjectViewContext>
    </ProjectPageProvider>
  )
}
