import { useEffect, useMemo } from 'react'
import { getCachedTasks, useTasksRevision } from '../../../data/tasks/task-store.ts'
import { filterMessages } from '../../../messages/tasks/filter.ts'
import { Button, IconButton } from '../../../ui/form/button.tsx'
import { Icon } from '../../../ui/marks/icon.tsx'
import type { ProjectList } from '../grouping/project-list.ts'
import { useProjectPageContext } from '../project-page-context.ts'
import type { ViewControls } from '../project-view.ts'
import { checkFilter } from './check-filter.ts'
import { describeClause, formatClause } from './clause-labels.ts'
import { openFilterEditor } from './filter-bar.tsx'
import { formatFilter, parseFilter, removeClause } from './view-filter.ts'

interface FilterRowProps extends ViewControls {
  list: ProjectList | undefined
}

/** The conditions of a filter as chips, how many tasks they leave, and what they cannot mean. */
export function FilterRow({ view, setView, list }: FilterRowProps) {
  const context = useProjectPageContext()
  const { tags, filterContext } = context
  const { filter } = view
  const revision = useTasksRevision()
  // biome-ignore lint/correctness/useExhaustiveDependencies: there may be other tasks since
  const all = useMemo(
    () => (list ? getCachedTasks().filter(list.includes).length : 0),
    [list, revision],
  )
  // Tags are loaded apart from the list: until there are any, none is known to be wrong.
  const isKnown = tags.length > 0 || filter.every(({ property }) => property !== 'tag')
  const typed = formatFilter(filter)
  const checked = isKnown ? checkFilter(typed, filterContext) : undefined
  const problem = checked?.problem
  const meant = checked?.filter ? formatFilter(checked.filter) : typed
  useEffect(() => {
    // An address may have been typed as well, with a day in words.
    if (meant !== typed) setView({ filter: parseFilter(meant) }, true)
  }, [meant, typed, setView])
  return (
    <>
      <span className="gut" />
      <fieldset className="chips" aria-label={filterMessages.conditions}>
        {filter.map((clause, index) => {
          const { what, value } = describeClause(clause, filterContext)
          const label = formatClause(clause, filterContext)
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a chip stays where it is while it is edited
            <span key={index} className="chip">
              <button
                type="button"
                className="chip-text"
                aria-label={filterMessages.change(label)}
                aria-haspopup="dialog"
                onClick={({ currentTarget }) => openFilterEditor(context, currentTarget, index)}
              >
                <i>{what}</i> <span className="clip">{value}</span>
              </button>
              <button
                type="button"
                aria-label={filterMessages.remove(label)}
                onClick={() => setView({ filter: removeClause(filter, clause) })}
              >
                <Icon name="x" />
              </button>
            </span>
          )
        })}
        <IconButton
          icon="plus"
          label={filterMessages.add}
          aria-haspopup="dialog"
          onClick={({ currentTarget }) => openFilterEditor(context, currentTarget)}
        />
        <div className="acts end">
          {list && (
            <output className="n" aria-live="polite">
              {filterMessages.shown(list.total, all)}
            </output>
          )}
          <Button
            kind="plain"
            aria-label={filterMessages.clearAll}
            onClick={() => setView({ filter: [] })}
          >
            {filterMessages.clear}
          </Button>
        </div>
        {problem && (
          <p className="error" role="alert">
            {problem.message}
            <button
              type="button"
              className="link"
              aria-haspopup="dialog"
              onClick={({ currentTarget }) => openFilterEditor(context, currentTarget, 'typed')}
            >
              {filterMessages.edit}
            </button>
          </p>
        )}
      </fieldset>
    </>
  )
}
