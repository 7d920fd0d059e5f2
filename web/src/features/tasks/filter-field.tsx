import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { m } from '../../messages/tasks.ts'
import { type Completion, completed, completionsOf } from './completions.ts'
import type { WithEarly } from './early.tsx'
import { parseFilter, withClause, withoutClause } from './filter.ts'
import { useScreen } from './screen.ts'
import type { View } from './view.ts'

interface Props extends WithEarly {
  view: View
  look: (change: Partial<View>) => void
  onDone: () => void
}

/** Where a filter is typed, with what may come next: Enter adds it, Esc leaves it. */
export function FilterField({ view, look, early, onDone }: Props) {
  const { meaning } = useScreen()
  const id = useId()
  const [text, setText] = useState(() => early.at(-1) ?? '')
  const [at, point] = useState(-1)
  const offered = completionsOf(text, meaning)
  const write = (next: string) => {
    setText(next)
    // Of the values of a property the first is meant; names of properties are only offered.
    point(/:[^\s]*$/.test(next) ? 0 : -1)
  }
  const commit = (written: string) => {
    const clauses = parseFilter(written)
    if (clauses.length > 0) look({ filter: clauses.reduce(withClause, view.filter) })
  }
  // What was ended by Enter before the field was there is a filter already.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(() => commit(early.slice(0, -1).join(' ')), [])
  const choose = (completion: Completion) => {
    const next = completed(text, completion)
    if (completion.whole) {
      commit(next)
      setText('')
      point(-1)
    } else write(next)
  }
  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return
    const pointed = offered[at]
    const last = view.filter.at(-1)
    if (event.key === 'ArrowDown') point(Math.min(at + 1, offered.length - 1))
    else if (event.key === 'ArrowUp') point(Math.max(at - 1, -1))
    else if ((event.key === 'Enter' || event.key === 'Tab') && pointed) choose(pointed)
    else if (event.key === 'Enter') {
      commit(text)
      onDone()
    } else if (event.key === 'Escape') onDone()
    else if (event.key === 'Backspace' && text === '' && last) {
      look({ filter: withoutClause(view.filter, last) })
    } else return
    event.preventDefault()
    event.stopPropagation()
  }
  const leave = () => {
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
        aria-label={m.filterLabel}
        aria-expanded={offered.length > 0}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
        placeholder={m.filterHint}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => write(event.target.value)}
        onKeyDown={press}
        onBlur={leave}
      />
      {offered.length > 0 && (
        <div id={id} className="float completions" role="listbox" aria-label={m.completions}>
          {offered.map((completion, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and moves through them
            <div
              key={completion.typed}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === at}
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
