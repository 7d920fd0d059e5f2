import './project-header.css'
import { Link, useRouter, useSearch } from '@tanstack/react-router'
import type { MouseEvent } from 'react'
import { type ReactNode, Suspense, useEffect } from 'react'
import { useProject } from '../../../data/session/boot.ts'
import { canEditProjectSettings } from '../../../data/session/rights.ts'
import { omittedProjectIds } from '../../../data/tasks/load-tasks.ts'
import { isPlainClick } from '../../../lib/browser/is-plain-click.ts'
import { markInteractive, useMayLoadMore } from '../../../lib/browser/schedule-preload.ts'
import { useTitle } from '../../../lib/browser/use-title.ts'
import { useAtom } from '../../../lib/state/atom.ts'
import { formatList, formatNumber } from '../../../messages/plural.ts'
import { myWorkMessages } from '../../../messages/tasks/my-work.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { Button, IconButton } from '../../../ui/form/button.tsx'
import { AvatarGroup } from '../../../ui/marks/avatar.tsx'
import { startNewTask } from '../../shell/index.ts'
import { FilterButton } from '../filter/filter-bar.tsx'
import type { ProjectList } from '../grouping/project-list.ts'
import {
  LazyBulkBar,
  LazyFilterRow,
  LazySavedViews,
  LazyUnarchiveButton,
} from '../lazy/deferred-components.ts'
import { type ProjectWithoutCounts, useProjectPageContext } from '../project-page-context.ts'
import {
  type MyWorkView,
  useHasOwnFilter,
  useToViewSearch,
  VIEW_KINDS,
  type ViewControls,
  type ViewKind,
} from '../project-view.ts'
import { useSelectedIds } from '../selection/list-selection.ts'
import { ViewMenus } from './view-menus.tsx'

interface ProjectHeaderProps extends ViewControls {
  list: ProjectList | undefined
  /** The menu of further actions. */
  more: ReactNode
}

/** The header of a project: its name, its progress, and the controls of the view. */
export function ProjectHeader({ view, setView, list, more }: ProjectHeaderProps) {
  const context = useProjectPageContext()
  const { page, project, title, boot, me, locked, selection } = context
  useTitle(title)
  const selected = useSelectedIds(selection)
  const hasOwnFilter = useHasOwnFilter(view)
  const mayLoadMore = useMayLoadMore()
  // The list comes with the first rows.
  const hasRows = list !== undefined
  useEffect(() => (hasRows ? markInteractive() : undefined), [hasRows])
  const people = context.people.map(({ id, name }) => ({ id, name, me: id === me }))
  return (
    <header className="head">
      <div className="head-top">
        <span className="gut">
          <b>{project ? project.prefix : list && formatNumber(list.total)}</b>
        </span>
        <h1>{title}</h1>
        <p className="say only-wide">
          {locked !== undefined && projectViewMessages.archived}
          {project && locked === undefined && <Progress {...{ project, view, list }} />}
          {page === 'all' && <OmittedProjects />}
        </p>
        <div className="acts">
          {project && (
            <span className="only-wide">
              <AvatarGroup people={people} most={5} />
            </span>
          )}
          {project && locked !== undefined && canEditProjectSettings(boot.session.user, project) ? (
            <Suspense>
              <LazyUnarchiveButton project_id={project.id} />
            </Suspense>
          ) : (
            <Button
              kind="primary"
              className="only-wide"
              keys="c"
              reason={locked}
              onClick={() => startNewTask(project?.id)}
            >
              {projectViewMessages.newTask}
            </Button>
          )}
          <IconButton
            icon="gear"
            className="only-narrow"
            label={projectViewMessages.viewSheet}
            onClick={() =>
              void import('../lazy/deferred-bundle.ts').then((it) => it.openViewSheet(context))
            }
          />
        </div>
      </div>
      {selected.size > 0 ? (
        <Suspense fallback={<div className="head-bar bulk" />}>
          <LazyBulkBar list={list} />
        </Suspense>
      ) : (
        <div className="head-bar">
          <span className="gut" />
          {page === 'mine' ? <MyWorkTabs /> : <ViewTabs view={view} setView={setView} />}
          <div className="acts">
            <FilterButton />
          </div>
          <div className="acts end">
            {mayLoadMore && page !== 'mine' && (
              <Suspense>
                <LazySavedViews view={view} />
              </Suspense>
            )}
            <ViewMenus view={view} setView={setView} />
            {more}
          </div>
        </div>
      )}
      {hasOwnFilter && (
        <div className="head-bar filter-row">
          {mayLoadMore && (
            <Suspense>
              <LazyFilterRow view={view} setView={setView} list={list} />
            </Suspense>
          )}
        </div>
      )}
    </header>
  )
}

/** Says whose tasks are missing, because no page holds more than 50,000. */
function OmittedProjects() {
  const { projects } = useProjectPageContext()
  const omitted = useAtom(omittedProjectIds).flatMap((id) => projects.get(id)?.prefix ?? [])
  return omitted.length > 0 && projectViewMessages.omitted(formatList(omitted))
}

interface ProgressProps extends Pick<ProjectHeaderProps, 'view' | 'list'> {
  project: ProjectWithoutCounts
}

function Progress({ project, view, list }: ProgressProps) {
  const counts = useProject(project.id)?.task_counts
  const { total = 0, completed = 0, canceled = 0 } = counts ?? {}
  const all = total - canceled
  if (all === 0) return null
  return projectViewMessages.progress(
    Math.floor((completed / all) * 100),
    view.filter.length === 0 ? (list?.overdue ?? 0) : 0,
  )
}

/** The views of My work, each a link of its own. */
function MyWorkTabs() {
  const { boot } = useProjectPageContext()
  const params = { workspaceId: boot.session.workspace.id }
  const names = Object.keys(myWorkMessages.tabs) as MyWorkView[]
  return (
    <nav className="views" aria-label={projectViewMessages.views}>
      {names.map((name) => (
        <Link
          key={name}
          to="/w/$workspaceId/my"
          params={params}
          search={{ view: name === 'mine' ? undefined : name }}
          // Otherwise the address of another view counts as one of the plan, too.
          activeOptions={{ explicitUndefined: true }}
        >
          {myWorkMessages.tabs[name]}
        </Link>
      ))}
    </nav>
  )
}

/** The tabs for list, board, timeline and calendar, each a link of its own. */
function ViewTabs({ view, setView }: ViewControls) {
  const router = useRouter()
  const { saved } = useSearch({ strict: false })
  const toSearch = useToViewSearch()
  const renderTab = (shape: ViewKind) => {
    const search = { ...(saved && { saved }), ...toSearch({ ...view, kind: shape }) }
    const { href } = router.buildLocation({ to: '.', search })
    const switchView = (event: MouseEvent) => {
      if (!isPlainClick(event)) return
      event.preventDefault()
      setView({ kind: shape })
    }
    return (
      <a
        key={shape}
        href={href}
        aria-current={view.kind === shape ? 'page' : undefined}
        onClick={switchView}
      >
        {projectViewMessages[shape]}
      </a>
    )
  }
  return (
    <nav className="views" aria-label={projectViewMessages.views}>
      {VIEW_KINDS.map(renderTab)}
    </nav>
  )
}
