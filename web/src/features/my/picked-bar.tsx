import type { Boot } from '../../data/boot.ts'
import type { Task } from '../../data/task-view.ts'
import { m } from '../../messages/tasks.ts'
import { Acts } from '../tasks/bulk-acts.tsx'
import { apart, completePicked, openPicked, removePicked, undeletable } from './picked-acts.ts'

interface Props {
  boot: Boot
  tasks: readonly Task[]
  /** Selects what is not selected yet; undefined: all is. */
  all: (() => void) | undefined
  clear: () => void
}

/** What can be done to tasks that are selected, whatever projects they are in. */
export function PickedBar({ boot, tasks, all, clear }: Props) {
  return (
    <Acts
      count={tasks.length}
      all={all && { label: m.selectEvery, run: all }}
      locked={undefined}
      apart={(field) => apart(tasks, field)}
      undeletable={undeletable(boot, tasks)}
      open={(field, anchor) => void openPicked(boot, tasks, field, anchor)}
      complete={() => completePicked(boot, tasks)}
      remove={() => {
        removePicked(boot, tasks)
        clear()
      }}
      clear={clear}
    />
  )
}
