import type { Task } from '../../data/tasks/task-patch.ts'
import { myWorkMessages } from '../../messages/tasks/my-work.ts'
import { BulkActions } from '../project-view/index.ts'
import {
  type CrossProjectBoot,
  completeAcrossProjects,
  deleteAcrossProjects,
  getDeleteBlockReason,
  getFieldBlockReason,
  getLockReason,
  openCrossProjectPicker,
} from './cross-project-commands.ts'

interface CrossProjectBulkBarProps {
  boot: CrossProjectBoot
  tasks: readonly Task[]
  /** Selects all tasks of the list; undefined if all are selected. */
  all: (() => void) | undefined
  clear: () => void
}

/** The commands for the selected tasks, which may belong to different projects. */
export function CrossProjectBulkBar({ boot, tasks, all, clear }: CrossProjectBulkBarProps) {
  return (
    <BulkActions
      count={tasks.length}
      all={all && { label: myWorkMessages.selectEvery, run: all }}
      locked={getLockReason(boot, tasks)}
      apart={(field) => getFieldBlockReason(tasks, field)}
      undeletable={getDeleteBlockReason(boot, tasks)}
      open={(field, anchor) => void openCrossProjectPicker(boot, tasks, field, anchor)}
      complete={() => completeAcrossProjects(boot, tasks)}
      remove={() => deleteAcrossProjects(boot, tasks, clear)}
      clear={clear}
    />
  )
}
