import '../../styles/list.css'
import { m } from '../../messages/tasks.ts'
import { Button } from '../../ui/button.tsx'
import type { Field } from './pickers.tsx'

const PICKS: readonly { field: Field; label: string; keys?: string }[] = [
  { field: 'status', label: m.status, keys: 's' },
  { field: 'assignees', label: m.who, keys: 'a' },
  { field: 'priority', label: m.columns.priority, keys: 'p' },
  { field: 'tags', label: m.columns.tags, keys: 'l' },
  { field: 'due', label: m.columns.due, keys: 'd' },
  { field: 'project', label: m.move },
]

interface Props {
  count: number
  /** What selects the rest; undefined: all is selected. */
  all: { label: string; run: () => void } | undefined
  /** Why nothing can be changed; undefined: it can. */
  locked: string | undefined
  /** Why a field cannot be set for all of these together. */
  apart?: (field: Field) => string | undefined
  undeletable: string | undefined
  open: (field: Field, anchor: Element) => void
  complete: () => void
  remove: () => void
  clear: () => void
}

/** What can be done to all that is selected, in place of what a list has there else. */
export function Acts(props: Props) {
  const { count, all, locked, apart, undeletable, open, complete, remove, clear } = props
  return (
    <section className="head-bar bulk" aria-label={m.bulkBar}>
      <span className="gut" />
      <div className="acts">
        <strong>{m.selected(count)}</strong>
        {all && (
          <Button kind="plain" onClick={all.run}>
            {all.label}
          </Button>
        )}
      </div>
      <div className="acts end">
        {PICKS.map(({ field, label, keys }) => (
          <Button
            key={field}
            kind="plain"
            reason={locked ?? apart?.(field)}
            aria-haspopup="dialog"
            onClick={({ currentTarget }) => open(field, currentTarget)}
            {...(keys && { keys })}
          >
            {label}
          </Button>
        ))}
        <Button kind="plain" reason={locked} onClick={complete}>
          {m.complete}
        </Button>
        <Button kind="plain danger" keys="#" reason={locked ?? undeletable} onClick={remove}>
          {m.delete}
        </Button>
        <Button kind="plain" icon="x" keys="escape" onClick={clear}>
          {m.clear}
        </Button>
      </div>
    </section>
  )
}
