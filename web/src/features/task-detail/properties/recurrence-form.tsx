import { useState } from 'react'
import { useBoot } from '../../../data/session/boot.ts'
import type { Task } from '../../../data/tasks/task-patch.ts'
import { getCachedTask } from '../../../data/tasks/task-store.ts'
import { formatDay, isPlainDate, today } from '../../../lib/dates/plain-date.ts'
import { previewOccurrences } from '../../../lib/dates/recurrence-preview.ts'
import {
  formatRuleParts,
  parseRuleParts,
  type RecurrenceRuleParts,
} from '../../../lib/dates/recurrence-rule.ts'
import { ApiResponseError } from '../../../lib/http/problem.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { Button } from '../../../ui/form/button.tsx'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormLine, SelectField, TextField } from '../../../ui/form/form-field.tsx'
import { describeRecurrence, formatWeekday } from '../formatting/describe-recurrence.ts'
import { changeTaskOnServer } from '../links/update-task-links.ts'

const FREQUENCIES = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const
const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7]

/** Edits a recurrence rule by fields or as RRULE text; a change of one updates the other. */
export function RecurrenceForm({ task, onDone }: { task: Task; onDone: () => void }) {
  const { workspace } = useBoot('session').session
  // The task when editing began. After a conflict, saving again replaces what others have made of it.
  const [base, setBase] = useState(task)
  const [text, setTextState] = useState(task.recurrence?.rrule ?? '')
  const [rule, setRule] = useState(() => parseRuleParts(text))
  const [isTypingRule, setIsTypingRule] = useState(false)
  const [basis, setBasis] = useState<'due_date' | 'completion'>(getInitialBasis(task))
  const hasEdits = text !== (base.recurrence?.rrule ?? '') || basis !== getInitialBasis(base)
  const isRule = text === '' || parseRuleParts(text) !== undefined
  const setText = (next: string) => {
    setTextState(next)
    const parsed = parseRuleParts(next)
    // While a rule is being typed, the other fields show the last complete one.
    if (parsed || next === '') setRule(parsed)
  }
  const updateRule = (parts: Partial<RecurrenceRuleParts>) =>
    rule && setText(formatRuleParts({ ...rule, ...parts }))
  const nextDates = previewOccurrences(text, {
    basis,
    due_date: task.due_date,
    today: today(workspace.timezone),
  })
  const save = async () => {
    const recurrence = text === '' ? null : { rrule: text, basis }
    const label = recurrence
      ? taskDetailMessages.took(
          task.short_id,
          taskDetailMessages.repeats,
          describeRecurrence(text, basis),
        )
      : taskDetailMessages.cleared(task.short_id, taskDetailMessages.repeats)
    try {
      await changeTaskOnServer(base, { recurrence }, label)
    } catch (error) {
      if (error instanceof ApiResponseError && error.code === 'version_mismatch')
        setBase(getCachedTask(task.id) ?? base)
      throw error
    }
    onDone()
  }
  return (
    <Form guard={hasEdits} onSubmit={save} label={taskDetailMessages.repeats}>
      <SelectField
        label={taskDetailMessages.repeatEvery}
        name="freq"
        value={rule?.freq ?? ''}
        onChange={({ target }) => setText(resetRule(target.value, rule))}
        options={[
          { value: '', label: taskDetailMessages.repeatNever },
          ...FREQUENCIES.map((value) => ({
            value,
            label: taskDetailMessages.repeatUnits[value](1),
          })),
        ]}
        beside={
          rule && (
            <input
              className="field short"
              type="number"
              min={1}
              max={999}
              aria-label={taskDetailMessages.repeatInterval(
                taskDetailMessages.repeatUnits[rule.freq](2),
              )}
              value={rule.interval}
              onChange={({ target }) => updateRule({ interval: Number(target.value) || 1 })}
            />
          )
        }
      />
      {rule?.freq === 'WEEKLY' && (
        <FormLine gutter={taskDetailMessages.repeatOn}>
          <div className="week-days">
            {WEEKDAYS.map((weekday) => (
              <button
                key={weekday}
                type="button"
                className="btn"
                aria-pressed={rule.byDay.some((one) => one.weekday === weekday)}
                onClick={() => updateRule({ byDay: toggleWeekday(rule, weekday) })}
              >
                {formatWeekday(weekday)}
              </button>
            ))}
          </div>
        </FormLine>
      )}
      {rule && (
        <>
          <SelectField
            label={taskDetailMessages.repeatFrom}
            name="recurrence.basis"
            value={basis}
            onChange={({ target }) =>
              setBasis(target.value === 'completion' ? 'completion' : 'due_date')
            }
            options={[
              { value: 'due_date', label: taskDetailMessages.repeatDue },
              { value: 'completion', label: taskDetailMessages.repeatDone },
            ]}
          />
          <TextField
            label={taskDetailMessages.repeatUntil}
            name="until"
            type="date"
            value={rule.until ?? ''}
            onChange={({ target }) =>
              updateRule({
                until: isPlainDate(target.value) ? target.value : undefined,
                count: undefined,
              })
            }
          />
        </>
      )}
      {(text !== '' || isTypingRule) && (
        <TextField
          label={taskDetailMessages.repeatRule}
          name="recurrence.rrule"
          className="field mono"
          value={text}
          spellCheck={false}
          onFocus={() => setIsTypingRule(true)}
          onBlur={() => setIsTypingRule(false)}
          onChange={({ target }) => setText(target.value.toUpperCase())}
        />
      )}
      <FormLine>
        {rule && isRule && (
          <p className="quiet" role="status">
            {basis === 'due_date' && task.due_date === null
              ? taskDetailMessages.repeatNeedsDue
              : nextDates.length > 0
                ? taskDetailMessages.repeatNext(nextDates.map((day) => formatDay(day)))
                : taskDetailMessages.repeatNoNext}
          </p>
        )}
        <div className="acts">
          <SubmitButton reason={isRule ? undefined : taskDetailMessages.notRule}>
            {taskDetailMessages.save}
          </SubmitButton>
          <Button kind="plain" onClick={onDone}>
            {taskDetailMessages.cancel}
          </Button>
        </div>
      </FormLine>
    </Form>
  )
}

const getInitialBasis = ({ recurrence, due_date }: Task) =>
  recurrence?.basis ?? (due_date === null ? 'completion' : 'due_date')

/** Keeps only the interval for a new frequency, because the other parts have another meaning. */
function resetRule(value: string, rule: RecurrenceRuleParts | undefined): string {
  const freq = FREQUENCIES.find((one) => one === value)
  if (!freq) return ''
  const interval = rule && rule.interval > 1 ? `;INTERVAL=${rule.interval}` : ''
  return `FREQ=${freq}${interval}`
}

const toggleWeekday = (
  { byDay }: RecurrenceRuleParts,
  weekday: number,
): RecurrenceRuleParts['byDay'] =>
  byDay.some((one) => one.weekday === weekday)
    ? byDay.filter((one) => one.weekday !== weekday)
    : [...byDay, { weekday, nth: undefined }].toSorted((a, b) => a.weekday - b.weekday)
