import './project-header.css'
import { useRouter, useSearch } from '@tanstack/react-router'
import type { MouseEvent } from 'react'
import { type ReactNode, Suspense, useEffect } from 'react'
import { useProject } from '../../../data/session/boot.ts'
import { canEditProjectSettings } from '../../../data/session/rights.ts'
import { isPlainClick } from '../../../lib/browser/is-plain-click.ts'
import { markInteractive, useMayLoadMore } from '../../../lib/browser/schedule-preload.ts'
import { useTitle } from '../../../lib/browser/use-title.ts'
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
import { useProjectPageContext } from '../project-page-context.ts'
import { toViewSearch, VIEW_KINDS, type ViewControls, type ViewKind } from '../project-view.ts'
import { useSelectedNumbers } from '../selection/list-selection.ts'
import { ViewMenus } from './view-menus.tsx'

interface ProjectHeaderProps extends ViewControls {
  list: ProjectList | undefined
  /** The menu of further actions. */
  more: ReactNode
}

/** The header of a project: its name, its progress, and the controls of the view. */
export function ProjectHeader({ view, setView, list, more }: ProjectHeaderProps) {
  const context = useProjectPageContext()
  const { project, boot, me, locked, selection } = context
  useTitle(project.name)
  const selected = useSelectedNumbers(selection)
  const mayLoadMore = useMayLoadMore()
  // The list comes with the first rows.
  const hasRows = list !== undefined
  useEffect(() => (hasRows ? markInteractive() : undefined), [hasRows])
  const people = context.people.map(({ id, name }) => ({ id, name, me: id === me }))
  return (
    <header className="head">
      <div className="head-top">
        <span className="gut">
          <b>{project.prefix}</b>
        </span>
        <h1>{project.name}</h1>
        <p className="say only-wide">
          {locked === undefined ? <Progress {...{ view, list }} /> : projectViewMessages.archived}
        </p>
        <div className="acts">
          <span className="only-wide">
            <AvatarGroup people={people} most={5} />
          </span>
          {locked !== undefined && canEditProjectSettings(boot.session.user, project) ? (
            <Suspense>
              <LazyUnarchiveButton project_id={project.id} />
            </Suspense>
          ) : (
            <Button
              kind="primary"
              className="only-wide"
              keys="c"
              reason={locked}
              onClick={() => startNewTask(project.id)}
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
          <ViewTabs view={view} setView={setView} />
          <div className="acts">
            <FilterButton />
          </div>
          <div className="acts end">
            {mayLoadMore && (
              <Suspense>
                <LazySavedViews view={view} />
              </Suspense>
            )}
            <ViewMenus view={view} setView={setView} />
            {more}
          </div>
        </div>
      )}
      {view.filter.length > 0 && (
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

function Progress({ view, list }: Pick<ProjectHeaderProps, 'view' | 'list'>) {
  const { project } = useProjectPageContext()
  const counts = useProject(project.id)?.task_counts
  const { total = 0, completed = 0, canceled = 0 } = counts ?? {}
  const all = total - canceled
  if (all === 0) return null
  return projectViewMessages.progress(
    Math.floor((completed / all) * 100),
    view.filter.length === 0 ? (list?.overdue ?? 0) : 0,
  )
}

const ROUTE = '/w/$workspaceId/p/$prefix'

/** The tabs for list, board, timeline and calendar, each a link of its own. */
function ViewTabs({ view, setView }: ViewControls) {
  const { project, boot } = useProjectPageContext()
  const router = useRouter()
  const { saved } = useSearch({ from: ROUTE })
  const params = { workspaceId: boot.session.workspace.id, prefix: project.prefix }
  const renderTab = (shape: ViewKind) => {
    const search = { ...(saved && { saved }), ...toViewSearch({ ...view, kind: shape }) }
    const { href } = router.buildLocation({ to: ROUTE, params, search })
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
