import { useState } from 'react'
import { useBoot } from '../../../data/boot.ts'
import type { Task } from '../../../data/task-view.ts'
import { formatDay, isDay, today } from '../../../lib/day.ts'
import { nextDays } from '../../../lib/recurrence.ts'
import { parseRule, type Rule, ruleText } from '../../../lib/rule.ts'
import { m } from '../../../messages/task.ts'
import { Button } from '../../../ui/button.tsx'
import { FormLine, SelectField, TextField } from '../../../ui/field.tsx'
import { Form, Submit } from '../../../ui/form.tsx'
import { dayName, ruleWords } from '../rule-words.ts'
import { changeNow } from '../task-links.ts'

const FREQUENCIES = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const
const WEEK = [1, 2, 3, 4, 5, 6, 7]

/** A rule in fields, in words and as the text that the API takes; whichever is changed, the others follow. */
export function RecurrenceForm({ task, onDone }: { task: Task; onDone: () => void }) {
  const { workspace } = useBoot().session
  const [text, setText] = useState(task.recurrence?.rrule ?? '')
  const [basis, setBasis] = useState<'due_date' | 'completion'>(startBasis(task))
  const rule = parseRule(text)
  const change = (next: Partial<Rule>) => rule && setText(ruleText({ ...rule, ...next }))
  const days = nextDays(text, { basis, due_date: task.due_date, today: today(workspace.timezone) })
  const save = async () => {
    const recurrence = text === '' ? null : { rrule: text, basis }
    const label = recurrence
      ? m.took(task.short_id, m.repeats, ruleWords(text, basis))
      : m.cleared(task.short_id, m.repeats)
    await changeNow(task, { recurrence }, label)
    onDone()
  }
  return (
    <Form onSubmit={save} label={m.repeats}>
      <SelectField
        label={m.repeatEvery}
        name="freq"
        value={rule?.freq ?? ''}
        onChange={({ target }) => setText(freshRule(target.value, rule))}
        options={[
          { value: '', label: m.repeatNever },
          ...FREQUENCIES.map((value) => ({ value, label: m.repeatUnits[value](1) })),
        ]}
        beside={
          rule && (
            <input
              className="field short"
              type="number"
              min={1}
              max={999}
              aria-label={m.repeatInterval(m.repeatUnits[rule.freq](2))}
              value={rule.interval}
              onChange={({ target }) => change({ interval: Number(target.value) || 1 })}
            />
          )
        }
      />
      {rule?.freq === 'WEEKLY' && (
        <FormLine gutter={m.repeatOn}>
          <div className="week-days">
            {WEEK.map((weekday) => (
              <button
                key={weekday}
                type="button"
                className="btn"
                aria-pressed={rule.byDay.some((one) => one.weekday === weekday)}
                onClick={() => change({ byDay: toggled(rule, weekday) })}
              >
                {dayName(weekday)}
              </button>
            ))}
          </div>
        </FormLine>
      )}
      {rule && (
        <>
          <SelectField
            label={m.repeatFrom}
            name="recurrence.basis"
            value={basis}
            onChange={({ target }) =>
              setBasis(target.value === 'completion' ? 'completion' : 'due_date')
            }
            options={[
              { value: 'due_date', label: m.repeatDue },
              { value: 'completion', label: m.repeatDone },
            ]}
          />
          <TextField
            label={m.repeatUntil}
            name="until"
            type="date"
            value={rule.until ?? ''}
            onChange={({ target }) =>
              change({ until: isDay(target.value) ? target.value : undefined, count: undefined })
            }
          />
          <TextField
            label={m.repeatRule}
            name="recurrence.rrule"
            className="field mono"
            value={text}
            spellCheck={false}
            onChange={({ target }) => setText(target.value.toUpperCase())}
          />
        </>
      )}
      <FormLine>
        {rule && (
          <p className="quiet" role="status">
            {basis === 'due_date' && task.due_date === null
              ? m.repeatNeedsDue
              : days.length > 0
                ? m.repeatNext(days.map((day) => formatDay(day)))
                : m.repeatNoNext}
          </p>
        )}
        <div className="acts">
          <Submit>{m.save}</Submit>
          <Button kind="plain" onClick={onDone}>
            {m.cancel}
          </Button>
        </div>
      </FormLine>
    </Form>
  )
}

const startBasis = ({ recurrence, due_date }: Task) =>
  recurrence?.basis ?? (due_date === null ? 'completion' : 'due_date')

/** Another frequency begins with nothing but its interval: the other parts mean something else there. */
function freshRule(value: string, rule: Rule | undefined): string {
  const freq = FREQUENCIES.find((one) => one === value)
  if (!freq) return ''
  const interval = rule && rule.interval > 1 ? `;INTERVAL=${rule.interval}` : ''
  return `FREQ=${freq}${interval}`
}

const toggled = ({ byDay }: Rule, weekday: number): Rule['byDay'] =>
  byDay.some((one) => one.weekday === weekday)
    ? byDay.filter((one) => one.weekday !== weekday)
    : [...byDay, { weekday, nth: undefined }].toSorted((a, b) => a.weekday - b.weekday)
