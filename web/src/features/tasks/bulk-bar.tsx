import { completing } from '../../data/task-view.ts'
import { m } from '../../messages/tasks.ts'
import { Button } from '../../ui/button.tsx'
import { act, taskAt } from './act.tsx'
import * as acts from './acts.ts'
import { useSelected } from './marks.ts'
import { type Field, openField } from './pickers.tsx'
import { useScreen } from './screen.ts'

interface Props {
  /** Numbers of all tasks of the view. */
  everything: () => readonly number[]
  total: number
}

const PICKS: readonly { field: Field; label: string; keys?: string }[] = [
  { field: 'status', label: m.status, keys: 's' },
  { field: 'assignees', label: m.who, keys: 'a' },
  { field: 'priority', label: m.columns.priority, keys: 'p' },
  { field: 'tags', label: m.columns.tags, keys: 'l' },
  { field: 'due', label: m.columns.due, keys: 'd' },
  { field: 'project', label: m.move },
]

/** What can be done to all that is selected, in place of the bar of filters. */
export function BulkBar({ everything, total }: Props) {
  const screen = useScreen()
  const { marks, project, locked } = screen
  const selected = useSelected(marks)
  if (selected.size === 0) return null
  const numbers = [...selected]
  const done = completing(project)
  const complete = () => done && act(screen, numbers, acts.setStatus(screen, done))
  const undeletable = numbers.flatMap((number) => {
    const task = taskAt(screen, number)
    return (task && screen.undeletable(task)) ?? []
  })[0]
  const remove = () => {
    act(screen, numbers, acts.remove(screen))
    marks.select([])
  }
  return (
    <section className="head-bar bulk" aria-label={m.bulkBar}>
      <span className="gut" />
      <div className="acts">
        <strong>{m.selected(selected.size)}</strong>
        {selected.size < total && (
          <Button kind="plain" onClick={() => marks.select(everything())}>
            {m.selectAll(total)}
          </Button>
        )}
      </div>
      <div className="acts end">
        {PICKS.map(({ field, label, keys }) => (
          <Button
            key={field}
            kind="plain"
            reason={locked}
            aria-haspopup="dialog"
            onClick={({ currentTarget }) => openField(screen, field, numbers, currentTarget)}
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
        <Button kind="plain" icon="x" keys="escape" onClick={() => marks.select([])}>
          {m.clear}
        </Button>
      </div>
    </section>
  )
}
