import { changeTask } from '../../../data/tasks/change-task.ts'
import { formatDuration, parseDuration } from '../../../lib/dates/duration.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { useOpenTask } from '../open-task-context.ts'
import { useBlockReasons } from '../use-block-reasons.ts'
import { InlineTextField } from './inline-text-field.tsx'
import { PropertyRow } from './property-row.tsx'
import { useEmptyLabel } from './unset-properties.ts'

export function EstimateProperty() {
  const { task } = useOpenTask()
  const { write } = useBlockReasons()
  const { estimate_seconds: estimate } = task
  const empty = useEmptyLabel(taskDetailMessages.estimate)
  const text = estimate === null ? taskDetailMessages.none : formatDuration(estimate)
  const save = (typed: string): string | undefined => {
    const isCleared = typed.trim() === ''
    const estimate_seconds = isCleared ? null : parseDuration(typed)
    if (estimate_seconds === undefined) return taskDetailMessages.notDuration
    if (estimate_seconds === estimate) return
    const label =
      estimate_seconds === null
        ? taskDetailMessages.cleared(task.short_id, taskDetailMessages.estimate)
        : taskDetailMessages.took(
            task.short_id,
            taskDetailMessages.estimate,
            formatDuration(estimate_seconds),
          )
    changeTask(task.id, { estimate_seconds }, { label, from: task })
    return
  }
  return (
    <PropertyRow label={taskDetailMessages.estimate} fields={['estimate_seconds']}>
      <InlineTextField
        does="estimate"
        label={taskDetailMessages.changeOf(taskDetailMessages.estimate, text)}
        value={estimate === null ? '' : text}
        hint={taskDetailMessages.estimateHint}
        reason={write}
        onSave={save}
      >
        {estimate === null ? <span className="quiet">{empty}</span> : text}
      </InlineTextField>
    </PropertyRow>
  )
}
