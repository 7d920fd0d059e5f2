import { useState } from 'react'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { Button } from '../../../ui/form/button.tsx'
import { useShortcuts } from '../../../ui/keyboard/use-shortcuts.ts'
import { Icon } from '../../../ui/marks/icon.tsx'
import { lazyFilterField } from '../lazy/deferred-components.ts'
import { LazyField } from '../lazy/lazy-field.tsx'
import { useProjectPageContext } from '../project-page-context.ts'
import type { ViewControls } from '../project-view.ts'
import { describeClause, formatClause } from './clause-labels.ts'
import { removeClause } from './view-filter.ts'

/** The filter as chips, with a field for adding conditions (key `/`). */
export function FilterBar({ view, setView }: ViewControls) {
  const [isTyping, setIsTyping] = useState(false)
  useShortcuts('part', projectViewMessages.filter, [
    { keys: '/', label: projectViewMessages.filter, run: () => setIsTyping(true) },
  ])
  return (
    <div className="acts filter">
      <FilterChips view={view} setView={setView} />
      {isTyping ? (
        <LazyField
          part={lazyFilterField}
          props={{ view, setView, onDone: () => setIsTyping(false) }}
          label={projectViewMessages.filter}
          placeholder={projectViewMessages.filterHint}
          className="field"
          onEscape={() => setIsTyping(false)}
        />
      ) : (
        <Button kind="plain" icon="plus" keys="/" onClick={() => setIsTyping(true)}>
          {projectViewMessages.filter}
        </Button>
      )}
    </div>
  )
}

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
