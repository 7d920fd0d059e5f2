import './project-header.css'
import { useRouter, useSearch } from '@tanstack/react-router'
import type { MouseEvent } from 'react'
import { type ReactNode, Suspense, useEffect } from 'react'
import type { ProjectIndex } from '../../../data/cache/project-index.ts'
import { useProject } from '../../../data/session/boot.ts'
import { isPlainClick } from '../../../lib/browser/is-plain-click.ts'
import { markInteractive, useMayLoadMore } from '../../../lib/browser/schedule-preload.ts'
import { useTitle } from '../../../lib/browser/use-title.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { Button, IconButton } from '../../../ui/form/button.tsx'
import { AvatarGroup } from '../../../ui/marks/avatar.tsx'
import { FilterBar } from '../filter/filter-bar.tsx'
import { LazyBulkBar, LazySavedViews } from '../lazy/deferred-components.ts'
import { useProjectPageContext } from '../project-page-context.ts'
import { toViewSearch, VIEW_KINDS, type ViewControls, type ViewKind } from '../project-view.ts'
import { getDefaultGroup, getNewTaskTarget } from '../quick-add/new-task-target.ts'
import { useQuickAdd } from '../quick-add/quick-add-context.ts'
import { useSelectedNumbers } from '../selection/list-selection.ts'
import { ViewMenus } from './view-menus.tsx'

interface ProjectHeaderProps extends ViewControls {
  index: ProjectIndex | undefined
  /** The menu of further actions. */
  more: ReactNode
}

/** The header of a project: its name, its progress, and the controls of the view. */
export function ProjectHeader({ view, setView, index, more }: ProjectHeaderProps) {
  const context = useProjectPageContext()
  const { project, boot, me, locked, selection } = context
  useTitle(project.name)
  const selected = useSelectedNumbers(selection)
  const { begin } = useQuickAdd()
  const mayLoadMore = useMayLoadMore()
  // The index comes with the first rows.
  const hasRows = index !== undefined
  useEffect(() => (hasRows ? markInteractive() : undefined), [hasRows])
  const people = boot.members.map(({ id, name }) => ({ id, name, me: id === me }))
  return (
    <header className="head">
      <div className="head-top">
        <span className="gut">
          <b>{project.prefix}</b>
        </span>
        <h1>{project.name}</h1>
        <p className="say only-wide">
          {locked === undefined ? <Progress {...{ view, index }} /> : projectViewMessages.archived}
        </p>
        <div className="acts">
          <span className="only-wide">
            <AvatarGroup people={people} most={5} />
          </span>
          <Button
            kind="primary"
            className="only-wide"
            keys="c"
            reason={locked}
            onClick={() => begin(getNewTaskTarget(context, view.group, firstGroup()))}
          >
            {projectViewMessages.newTask}
          </Button>
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
          <LazyBulkBar index={index} />
        </Suspense>
      ) : (
        <div className="head-bar">
          <span className="gut" />
          <ViewTabs view={view} setView={setView} />
          <FilterBar view={view} setView={setView} />
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
    </header>
  )

  function firstGroup(): string {
    const first = index?.groups.find(({ numbers }) => numbers.length > 0) ?? index?.groups[0]
    return getDefaultGroup(project, view.group, first?.key)
  }
}

function Progress({ view, index }: Pick<ProjectHeaderProps, 'view' | 'index'>) {
  const { project } = useProjectPageContext()
  const counts = useProject(project.id)?.task_counts
  // Without a filter and grouped by status, the index has the current counts; otherwise the counts
  // of the project are used, which are from when the page was opened.
  const wholeIndex = view.filter.length === 0 && view.group === 'status' ? index : undefined
  const countIn = (category: string) =>
    (wholeIndex?.groups ?? [])
      .filter(({ key }) => project.statuses.find((one) => one.key === key)?.category === category)
      .reduce((sum, { count }) => sum + count, 0)
  const done = wholeIndex ? countIn('completed') : (counts?.completed ?? 0)
  const all = wholeIndex
    ? wholeIndex.total - countIn('canceled')
    : (counts?.total ?? 0) - (counts?.canceled ?? 0)
  if (all === 0) return null
  return projectViewMessages.progress(
    Math.floor((done / all) * 100),
    view.filter.length === 0 ? (index?.overdue ?? 0) : 0,
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
