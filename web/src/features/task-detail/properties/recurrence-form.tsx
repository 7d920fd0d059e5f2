import { useState } from 'react'
import { useBoot } from '../../../data/session/boot.ts'
import type { Task } from '../../../data/tasks/task-patch.ts'
import { getCachedTask } from '../../../data/tasks/task-store.ts'
import {
  formatDay,
  isoWeekday,
  isPlainDate,
  type PlainDate,
  today,
} from '../../../lib/dates/plain-date.ts'
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
import {
  describeRecurrence,
  formatRuleDays,
  formatWeekday,
} from '../formatting/describe-recurrence.ts'
import { changeTaskOnServer } from '../links/update-task-links.ts'

const FREQUENCIES = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const
const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7]

/** Edits a recurrence rule. Parts of it that have no field stay as they are. */
export function RecurrenceForm({ task, onDone }: { task: Task; onDone: () => void }) {
  const { workspace } = useBoot('session').session
  // The task when editing began. After a conflict, saving again replaces what others have made of it.
  const [base, setBase] = useState(task)
  const [rule, setRule] = useState(() => parseRuleParts(task.recurrence?.rrule ?? ''))
  const text = formatRule(rule)
  const [basis, setBasis] = useState<'due_date' | 'completion'>(getInitialBasis(task))
  const baseText = formatRule(parseRuleParts(base.recurrence?.rrule ?? ''))
  const hasEdits = text !== baseText || basis !== getInitialBasis(base)
  const updateRule = (parts: Partial<RecurrenceRuleParts>) => rule && setRule({ ...rule, ...parts })
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
        onChange={({ target }) => setRule(resetRule(target.value, rule))}
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
      {rule?.freq === 'MONTHLY' && (
        <MonthDayField
          rule={rule}
          day={task.due_date ?? today(workspace.timezone)}
          onChange={updateRule}
        />
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
      <FormLine>
        {rule && (
          <p className="quiet" role="status">
            {basis === 'due_date' && task.due_date === null
              ? taskDetailMessages.repeatNeedsDue
              : nextDates.length > 0
                ? taskDetailMessages.repeatNext(nextDates.map((day) => formatDay(day)))
                : taskDetailMessages.repeatNoNext}
          </p>
        )}
        <div className="acts">
          <SubmitButton>{taskDetailMessages.save}</SubmitButton>
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

const formatRule = (rule: RecurrenceRuleParts | undefined): string =>
  rule ? formatRuleParts(rule) : ''

/** Keeps only the interval for a new frequency, because the other parts have another meaning. */
const resetRule = (
  freq: string,
  rule: RecurrenceRuleParts | undefined,
): RecurrenceRuleParts | undefined =>
  parseRuleParts(`FREQ=${freq}${rule ? `;INTERVAL=${rule.interval}` : ''}`)

interface MonthDayFieldProps {
  rule: RecurrenceRuleParts
  /** Whose place in its month is offered. */
  day: PlainDate
  onChange: (parts: Partial<RecurrenceRuleParts>) => void
}

/** The days of a month: the 12th, the second Thursday or the last day, or what the rule has already. */
function MonthDayField({ rule, day, onChange }: MonthDayFieldProps) {
  const dayOfMonth = Number(day.slice(8))
  const nth = Math.ceil(dayOfMonth / 7)
  const weekday = isoWeekday(day)
  const options = [
    rule,
    { byDay: [], byMonthDay: [], bySetPos: [] },
    { byDay: [], byMonthDay: [dayOfMonth], bySetPos: [] },
    { byDay: [{ weekday, nth: nth > 4 ? -1 : nth }], byMonthDay: [], bySetPos: [] },
    { byDay: [], byMonthDay: [-1], bySetPos: [] },
  ].map(({ byDay, byMonthDay, bySetPos }) => ({ byDay, byMonthDay, bySetPos }))
  const byLabel = new Map(options.map((parts) => [formatRuleDays(parts), parts]))
  const current = formatRuleDays(rule)
  return (
    <SelectField
      label={taskDetailMessages.repeatOn}
      name="month_day"
      value={current}
      onChange={({ target }) => onChange(byLabel.get(target.value) ?? {})}
      options={[...byLabel.keys()].map((value) => ({
        value,
        label: value || taskDetailMessages.repeatDue,
      }))}
    />
  )
}

const toggleWeekday = (
  { byDay }: RecurrenceRuleParts,
  weekday: number,
): RecurrenceRuleParts['byDay'] =>
  byDay.some((one) => one.weekday === weekday)
    ? byDay.filter((one) => one.weekday !== weekday)
    : [...byDay, { weekday, nth: undefined }].toSorted((a, b) => a.weekday - b.weekday)
