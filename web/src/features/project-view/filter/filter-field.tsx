import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { viewMessages } from '../../../messages/tasks/views.ts'
import { type BufferedInputProps, joinLines } from '../lazy/lazy-field.tsx'
import { useProjectPageContext } from '../project-page-context.ts'
import type { ViewControls } from '../project-view.ts'
import { applyCompletion, type FilterCompletion, suggestCompletions } from './filter-completions.ts'
import { addClause, parseFilter, removeClause } from './view-filter.ts'

interface FilterFieldProps extends BufferedInputProps, ViewControls {
  onDone: () => void
}

/**
 * The field for typing filters, with completions: Enter adds the conditions, Esc closes the field.
 */
export function FilterField({
  view,
  setView,
  bufferedLines,
  bufferedPaste,
  onDone,
}: FilterFieldProps) {
  const { filterContext } = useProjectPageContext()
  const id = useId()
  const [text, setText] = useState(() => `${bufferedLines.at(-1) ?? ''}${joinLines(bufferedPaste)}`)
  const [activeIndex, setActiveIndex] = useState(-1)
  const completions = suggestCompletions(text, filterContext)
  const updateText = (next: string) => {
    setText(next)
    // The first value of a property is preselected; property names are only suggested.
    setActiveIndex(/:[^\s]*$/.test(next) ? 0 : -1)
  }
  const commit = (typed: string) => {
    const clauses = parseFilter(typed)
    if (clauses.length > 0) setView({ filter: clauses.reduce(addClause, view.filter) })
  }
  // Lines that were ended by Enter before this field was loaded are applied now.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, on mount
  useEffect(() => commit(bufferedLines.slice(0, -1).join(' ')), [])
  const choose = (completion: FilterCompletion) => {
    const next = applyCompletion(text, completion)
    if (completion.isComplete) {
      commit(next)
      setText('')
      setActiveIndex(-1)
    } else updateText(next)
  }
  const handleKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return
    const active = completions[activeIndex]
    const last = view.filter.at(-1)
    if (event.key === 'ArrowDown') setActiveIndex(Math.min(activeIndex + 1, completions.length - 1))
    else if (event.key === 'ArrowUp') setActiveIndex(Math.max(activeIndex - 1, -1))
    else if ((event.key === 'Enter' || event.key === 'Tab') && active) choose(active)
    else if (event.key === 'Enter') {
      commit(text)
      onDone()
    } else if (event.key === 'Escape') onDone()
    else if (event.key === 'Backspace' && text === '' && last) {
      setView({ filter: removeClause(view.filter, last) })
    } else return
    event.preventDefault()
    event.stopPropagation()
  }
  const commitAndClose = () => {
    commit(text)
    onDone()
  }
  return (
    <span className="complete">
      <input
        // biome-ignore lint/a11y/noAutofocus: the person asked to type here
        autoFocus
        className="field"
        role="combobox"
        aria-label={projectViewMessages.filter}
        aria-expanded={completions.length > 0}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={activeIndex >= 0 ? `${id}-${activeIndex}` : undefined}
        placeholder={projectViewMessages.filterHint}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => updateText(event.target.value)}
        onKeyDown={handleKeyDown}
        onBlur={commitAndClose}
      />
      {completions.length > 0 && (
        <div
          id={id}
          className="float completions"
          role="listbox"
          aria-label={viewMessages.completions}
        >
          {completions.map((completion, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field keeps the focus and handles the keys of the list
            <div
              key={completion.typed}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === activeIndex}
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => choose(completion)}
            >
              <span>{completion.label}</span>
              <span className="key">{completion.hint}</span>
            </div>
          ))}
        </div>
      )}
    </span>
  )
}
