import { completing } from '../../data/task-view.ts'
import { m } from '../../messages/tasks.ts'
import { act, taskAt } from './act.tsx'
import * as acts from './acts.ts'
import { Acts } from './bulk-acts.tsx'
import { useSelected } from './marks.ts'
import { openField } from './pickers.tsx'
import { useScreen } from './screen.ts'

interface Props {
  /** Numbers of all tasks of the view. */
  everything: () => readonly number[]
  total: number
}

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
    <Acts
      count={selected.size}
      all={
        selected.size < total
          ? { label: m.selectAll(total), run: () => marks.select(everything()) }
          : undefined
      }
      locked={locked}
      undeletable={undeletable}
      open={(field, anchor) => openField(screen, field, numbers, anchor)}
      complete={complete}
      remove={remove}
      clear={() => marks.select([])}
    />
  )
}
