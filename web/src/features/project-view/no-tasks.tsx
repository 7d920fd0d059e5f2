import { useQueries } from '@tanstack/react-query'
import { fetchProjectIndex, toIndexSearch } from '../../data/cache/project-index.ts'
import { emptyListMessages } from '../../messages/tasks/empty-list.ts'
import { projectViewMessages } from '../../messages/tasks/project-view.ts'
import { Button } from '../../ui/form/button.tsx'
import { EmptyState } from '../../ui/layout/empty-state.tsx'
import { formatClause } from './filter/clause-labels.ts'
import { toFilterQuery } from './filter/filter-query.ts'
import { removeClause } from './filter/view-filter.ts'
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
  const relaxedFilters = view.filter.map((clause) => removeClause(view.filter, clause))
  const totals = useQueries({
    queries: relaxedFilters.map((filter) => {
      const { api, indexOnly } = toFilterQuery(filter, filterContext)
      const search = toIndexSearch({ ...api, ...indexOnly, group: 'none' })
      return {
        queryKey: ['index', project.id, search],
        queryFn: () => fetchProjectIndex(project.id, search),
        structuralSharing: false,
      }
    }),
    combine: (results) => results.map(({ data }) => data?.index.total ?? 0),
  })
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
