import { useState } from 'react'
import { m } from '../../messages/tasks.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useKeys } from '../../ui/keys.ts'
import { Early } from './early.tsx'
import { withoutClause } from './filter.ts'
import { chipText, wordsOf } from './filter-words.ts'
import { filterField } from './parts.ts'
import { useScreen } from './screen.ts'
import type { View } from './view.ts'

interface Props {
  view: View
  look: (change: Partial<View>) => void
}

/** The filter as chips, and a field to type it (`/`). */
export function FilterBar({ view, look }: Props) {
  const [typing, type] = useState(false)
  useKeys(m.filter, [{ keys: '/', label: m.filter, run: () => type(true) }])
  return (
    <div className="acts filter">
      <Chips view={view} look={look} />
      {typing ? (
        <Early
          part={filterField}
          props={{ view, look, onDone: () => type(false) }}
          label={m.filterLabel}
          placeholder={m.filterHint}
          className="field"
          onEscape={() => type(false)}
        />
      ) : (
        <Button kind="plain" icon="plus" keys="/" onClick={() => type(true)}>
          {m.filter}
        </Button>
      )}
    </div>
  )
}

export function Chips({ view, look }: Props) {
  const { meaning } = useScreen()
  return view.filter.map((clause) => {
    const { what, value } = wordsOf(clause, meaning)
    return (
      <span key={`${what} ${value}`} className="chip">
        <i>{what}</i>
        <span className="clip">{value}</span>
        <button
          type="button"
          aria-label={m.removeFilter(chipText(clause, meaning))}
          onClick={() => look({ filter: withoutClause(view.filter, clause) })}
        >
          <Icon name="x" />
        </button>
      </span>
    )
  })
}
