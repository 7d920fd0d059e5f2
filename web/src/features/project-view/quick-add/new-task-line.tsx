import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { lazyQuickAddField } from '../lazy/deferred-components.ts'
import { LazyField } from '../lazy/lazy-field.tsx'
import { type NewTaskTarget, useQuickAdd } from './quick-add-context.ts'

/** The input for a new task; its code is loaded on demand. */
export function NewTaskLine({ label, place }: { label: string; place: NewTaskTarget }) {
  const { end } = useQuickAdd()
  return (
    <LazyField
      part={lazyQuickAddField}
      props={{ label, place }}
      label={label}
      placeholder={projectViewMessages.newHint}
      onEscape={end}
    />
  )
}
