import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { hasRight } from '../../data/session/rights.ts'
import { getCachedTasks, useTasksRevision } from '../../data/tasks/task-store.ts'
import { projectMessages } from '../../messages/projects/projects.ts'
import { emptyListMessages } from '../../messages/tasks/empty-list.ts'
import { filterMessages } from '../../messages/tasks/filter.ts'
import { myWorkMessages } from '../../messages/tasks/my-work.ts'
import { Button } from '../../ui/form/button.tsx'
import { EmptyState } from '../../ui/layout/empty-state.tsx'
import { openCreateProjectDialog, useNoProjectsText } from '../projects/index.ts'
import { formatClause } from './filter/clause-labels.ts'
import { compileFilter } from './filter/filter-query.ts'
import { removeClause } from './filter/view-filter.ts'
import type { ProjectList } from './grouping/project-list.ts'
import { useTextMatch } from './grouping/use-text-match.ts'
import { useProjectPageContext } from './project-page-context.ts'
import { getMyWorkView, useHasOwnFilter, type ViewControls } from './project-view.ts'

interface NoTasksProps extends ViewControls {
  list: ProjectList
}

/**
 * The empty state: there is no task, or the filter excludes all; then it names the condition that
 * excludes most.
 */
export function NoTasks({ view, setView, list }: NoTasksProps) {
  const hasOwnFilter = useHasOwnFilter(view)
  const { page } = useProjectPageContext()
  if (hasOwnFilter) return <NoMatches {...{ view, setView, list }} />
  if (page !== 'project') return <NoTasksAnywhere page={page} />
  // The button for a new task is in the heading.
  return (
    <div className="scroll">
      <EmptyState text={emptyListMessages.none} />
    </div>
  )
}

function NoTasksAnywhere({ page }: { page: 'all' | 'mine' }) {
  const { boot } = useProjectPageContext()
  const navigate = useNavigate()
  const shown = useSearch({ strict: false, select: ({ view }) => getMyWorkView(view) })
  const params = { workspaceId: boot.session.workspace.id }
  const noProjectsText = useNoProjectsText()
  const canCreate = hasRight(boot.session.user, 'shape_projects')
  if (!canCreate || boot.projects.some(({ status }) => status === 'active')) {
    const text =
      noProjectsText ?? (page === 'all' ? emptyListMessages.none : myWorkMessages.empty[shown])
    return (
      <div className="scroll">
        <EmptyState text={text} />
      </div>
    )
  }
  const create = () =>
    openCreateProjectDialog(({ prefix }) => {
      const to = '/w/$workspaceId/p/$prefix'
      void navigate({ to, params: { ...params, prefix }, search: {} })
    })
  return (
    <div className="scroll">
      <EmptyState text={myWorkMessages.noProject}>
        <Button kind="primary" icon="plus" onClick={create}>
          {projectMessages.create}
        </Button>
        {hasRight(boot.session.user, 'manage_workspace') && (
          <Link
            className="btn"
            to="/w/$workspaceId/settings/$section"
            params={{ ...params, section: 'members' }}
            search={{}}
          >
            {myWorkMessages.invite}
          </Link>
        )}
      </EmptyState>
    </div>
  )
}

function NoMatches({ view, setView, list }: NoTasksProps) {
  const { project, filterContext } = useProjectPageContext()
  const relaxedFilters = useMemo(
    () => view.filter.map((clause) => removeClause(view.filter, clause)),
    [view.filter],
  )
  const revision = useTasksRevision()
  const { matches } = useTextMatch(project?.id, view.filter)
  // biome-ignore lint/correctness/useExhaustiveDependencies: tasks may match or not match since
  const totals = useMemo(() => {
    const tasks = getCachedTasks().filter(list.includes)
    return relaxedFilters.map(
      (filter) => tasks.filter(compileFilter(filter, filterContext, matches)).length,
    )
  }, [relaxedFilters, filterContext, list, matches, revision])
  const maxTotal = Math.max(...totals)
  const index = totals.indexOf(maxTotal)
  const clause = view.filter[index]
  const filter = relaxedFilters[index]
  return (
    <div className="scroll">
      <EmptyState
        text={
          <>
            {emptyListMessages.noneLeft}{' '}
            {clause &&
              maxTotal > 0 &&
              emptyListMessages.mostLeftOut(formatClause(clause, filterContext), maxTotal)}
          </>
        }
      >
        {clause && filter && maxTotal > 0 && (
          <Button onClick={() => setView({ filter })}>
            {emptyListMessages.takeOff(formatClause(clause, filterContext))}
          </Button>
        )}
        <Button kind="plain" onClick={() => setView({ filter: [] })}>
          {filterMessages.clearAll}
        </Button>
      </EmptyState>
    </div>
  )
}
