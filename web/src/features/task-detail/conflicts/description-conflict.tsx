import './conflicts.css'
import { useQuery } from '@tanstack/react-query'
import { discardLocalChange, keepLocalChange } from '../../../data/tasks/task-conflicts.ts'
import { useTaskConflict } from '../../../data/tasks/task-store.ts'
import { formatTime } from '../../../lib/dates/instant.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { useOpenTask } from '../open-task-context.ts'
import { findLastChange } from './find-last-change.ts'
import { MergeEditor } from './merge-editor.tsx'

/**
 * Resolves a concurrent change of the description: shows both texts and an editable merge by lines.
 * Nothing is discarded until one of the three is chosen.
 */
export function DescriptionConflict() {
  const { task } = useOpenTask()
  const conflict = useTaskConflict(task.id)
  const { data: lastChange } = useQuery({
    queryKey: ['activity', task.id, 'who', 'description', conflict?.theirs.version],
    queryFn: async () => (await findLastChange(task.id, 'description')) ?? null,
  })
  if (!conflict) return null
  const { change, theirs } = conflict
  const changedAt = formatTime(lastChange?.at ?? theirs.updated_at)
  const texts = {
    base: change.from.description ?? '',
    mine: change.patch.description ?? '',
    theirs: theirs.description ?? '',
  }
  return (
    <div className="strip wide" role="alert">
      <span>
        {taskDetailMessages.theyChangedAt(
          lastChange?.name ?? taskDetailMessages.somebody,
          taskDetailMessages.description,
          changedAt,
        )}
      </span>
      <MergeEditor
        key={`${change.key} ${theirs.version}`}
        {...texts}
        draftKey={`merge.${change.key}`}
        onMine={() => keepLocalChange(task.id, change, theirs)}
        onTheirs={() => discardLocalChange(task.id)}
        onMerged={(description) =>
          keepLocalChange(task.id, change, theirs, { ...change.patch, description })
        }
      />
    </div>
  )
}
