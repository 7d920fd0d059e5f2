import { m } from '../../../messages/task.ts'
import { Button } from '../../../ui/button.tsx'
import { openDialog } from '../../../ui/dialog.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { useOpenTask } from '../open-task.ts'
import { useRights } from '../rights.ts'
import { ruleWords } from '../rule-words.ts'
import { useEmptyWord } from './bare.ts'
import { Prop } from './prop.tsx'
import { RecurrenceForm } from './recurrence-form.tsx'

export function RecurrenceProp() {
  const { task } = useOpenTask()
  const { write } = useRights()
  const { recurrence } = task
  const empty = useEmptyWord(m.repeats)
  const words = recurrence ? ruleWords(recurrence.rrule, recurrence.basis) : m.repeatNever
  return (
    <Prop label={m.repeats} fields={['recurrence']}>
      <Button
        kind="plain"
        className="value"
        data-does="recurrence"
        aria-label={m.changeOf(m.repeats, words)}
        reason={write}
        onClick={() =>
          openDialog({
            title: m.repeats,
            gutter: task.short_id,
            body: (close) => <RecurrenceForm task={task} onDone={close} />,
          })
        }
      >
        {recurrence ? (
          <>
            <Icon name="repeat" />
            {words}
          </>
        ) : (
          <span className="quiet">{empty}</span>
        )}
      </Button>
    </Prop>
  )
}
