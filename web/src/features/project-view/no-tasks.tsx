import { useMemo } from 'react'
import { getCachedTasks, useTasksRevision } from '../../data/tasks/task-store.ts'
import { emptyListMessages } from '../../messages/tasks/empty-list.ts'
import { projectViewMessages } from '../../messages/tasks/project-view.ts'
import { Button } from '../../ui/form/button.tsx'
import { EmptyState } from '../../ui/layout/empty-state.tsx'
import { formatClause } from './filter/clause-labels.ts'
import { compileFilter } from './filter/filter-query.ts'
import { removeClause } from './filter/view-filter.ts'
import { useTextMatch } from './grouping/use-text-match.ts'
import { useProjectPageContext } from './project-page-context.ts'
import type { ViewControls } from './project-view.ts'
import { getDefaultGroup } from './quick-add/new-task-target.ts'
import { useQuickAdd } from './quick-add/quick-add-context.ts'

/**
 * The empty state: there is no task, or the filter excludes all; then it names the condition that
 * excludes most.
 */
export function NoTasks({ view, setView }: ViewControls) {
  const { project, locked } = useProjectPageContext()
  const { begin } = useQuickAdd()
  if (view.filter.length > 0) return <NoMatches view={view} setView={setView} />
  const group = getDefaultGroup(project, view.group)
  return (
    <div className="scroll">
      <EmptyState text={emptyListMessages.none}>
        <Button kind="primary" keys="c" reason={locked} onClick={() => begin({ group })}>
          {projectViewMessages.newTask}
        </Button>
      </EmptyState>
    </div>
  )
}

function NoMatches({ view, setView }: ViewControls) {
  const { project, filterContext } = useProjectPageContext()
  const relaxedFilters = useMemo(
    () => view.filter.map((clause) => removeClause(view.filter, clause)),
    [view.filter],
  )
  const revision = useTasksRevision()
  const { matches } = useTextMatch(project.id, view.filter)
  // biome-ignore lint/correctness/useExhaustiveDependencies: tasks may match or not match since
  const totals = useMemo(() => {
    const tasks = getCachedTasks().filter(({ project_id }) => project_id === project.id)
    return relaxedFilters.map(
      (filter) => tasks.filter(compileFilter(filter, filterContext, matches)).length,
    )
  }, [relaxedFilters, filterContext, project.id, matches, revision])
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
          {emptyListMessages.clearFilter}
        </Button>
      </EmptyState>
    </div>
  )
}
