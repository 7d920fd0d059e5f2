import { changeTask } from '../../../data/tasks/change-task.ts'
import { applyPatch } from '../../../data/tasks/task-patch.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import type { ValueDefinition } from '../../property-definitions.ts'
import { useOpenTask } from '../open-task-context.ts'
import { useBlockReasons } from '../use-block-reasons.ts'
import { InlineTextField } from './inline-text-field.tsx'
import { PropertyRow } from './property-row.tsx'
import { useEmptyLabel } from './unset-properties.ts'

/** A property of one value, which is typed as text. */
export function ValueProperty({
  property: { id, field, format, parse },
}: {
  property: ValueDefinition
}) {
  const { task } = useOpenTask()
  const { write } = useBlockReasons()
  const name = projectViewMessages.properties[id]
  const { hint } = projectViewMessages.values[id]
  const empty = useEmptyLabel(name)
  const text = format(task)
  const save = (typed: string): string | undefined => {
    const patch = parse(typed)
    if (!patch) return taskDetailMessages.notValue(hint)
    const changed = applyPatch(task, patch, undefined)
    if (changed[field] === task[field]) return
    const label =
      changed[field] === null
        ? taskDetailMessages.cleared(task.short_id, name)
        : taskDetailMessages.took(task.short_id, name, format(changed))
    changeTask(task.id, patch, { label, from: task })
    return
  }
  return (
    <PropertyRow label={name} fields={[field]}>
      <InlineTextField
        does={id}
        label={taskDetailMessages.changeOf(name, text || taskDetailMessages.none)}
        value={text}
        hint={hint}
        reason={write}
        onSave={save}
      >
        {text || <span className="quiet">{empty}</span>}
      </InlineTextField>
    </PropertyRow>
  )
}
