import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { Button } from '../../../ui/form/button.tsx'
import { Icon } from '../../../ui/marks/icon.tsx'
import { openDialog } from '../../../ui/overlays/dialog.tsx'
import { describeRecurrence } from '../formatting/describe-recurrence.ts'
import { useOpenTask } from '../open-task-context.ts'
import { useBlockReasons } from '../use-block-reasons.ts'
import { PropertyRow } from './property-row.tsx'
import { RecurrenceForm } from './recurrence-form.tsx'
import { useEmptyLabel } from './unset-properties.ts'

export function RecurrenceProperty() {
  const { task } = useOpenTask()
  const { write } = useBlockReasons()
  const { recurrence } = task
  const emptyLabel = useEmptyLabel(taskDetailMessages.repeats)
  const text = recurrence
    ? describeRecurrence(recurrence.rrule, recurrence.basis)
    : taskDetailMessages.repeatNever
  return (
    <PropertyRow label={taskDetailMessages.repeats} fields={['recurrence']}>
      <Button
        kind="plain"
        className="value"
        data-does="recurrence"
        aria-label={taskDetailMessages.changeOf(taskDetailMessages.repeats, text)}
        reason={write}
        onClick={() =>
          openDialog({
            title: taskDetailMessages.repeats,
            gutter: task.short_id,
            body: (close) => <RecurrenceForm task={task} onDone={close} />,
          })
        }
      >
        {recurrence ? (
          <>
            <Icon name="repeat" />
            {text}
          </>
        ) : (
          <span className="quiet">{emptyLabel}</span>
        )}
      </Button>
    </PropertyRow>
  )
}
