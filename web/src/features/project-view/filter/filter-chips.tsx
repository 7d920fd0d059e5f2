import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { Icon } from '../../../ui/marks/icon.tsx'
import { useProjectPageContext } from '../project-page-context.ts'
import type { ViewControls } from '../project-view.ts'
import { describeClause, formatClause } from './clause-labels.ts'
import { removeClause } from './view-filter.ts'

/** The conditions of a filter, each with a button that removes it. */
export function FilterChips({ view, setView }: ViewControls) {
  const { filterContext } = useProjectPageContext()
  return view.filter.map((clause) => {
    const { what, value } = describeClause(clause, filterContext)
    return (
      <span key={`${what} ${value}`} className="chip">
        <i>{what}</i>
        <span className="clip">{value}</span>
        <button
          type="button"
          aria-label={projectViewMessages.removeFilter(formatClause(clause, filterContext))}
          onClick={() => setView({ filter: removeClause(view.filter, clause) })}
        >
          <Icon name="x" />
        </button>
      </span>
    )
  })
}
