import { type FormEvent, type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react'
import { changeEntry, logTime, type TimeEntry } from '../../data/time-entries.ts'
import { formatDay, gutterDay, today } from '../../lib/day.ts'
import { formatDuration } from '../../lib/duration.ts'
import { Problem } from '../../lib/problem.ts'
import { m } from '../../messages/task.ts'
import { announce } from '../../ui/announce.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { messageOf } from '../../ui/trouble.tsx'
import { useOpenTask } from './open-task.ts'
import { useRights } from './rights.ts'
import { parseTime, type TypedTime } from './time-text.ts'

/** A line to log time as it is said: "1h 30m yesterday call with Mei". */
export function LogTime() {
  const { task } = useOpenTask()
  const { write } = useRights()
  // One key for an intention: sent twice because no reply came, it is logged once.
  const key = useRef(crypto.randomUUID())
  const save = async ({ seconds, day, note }: TypedTime, billable: boolean) => {
    const body = { duration_seconds: seconds, spent_on: day, note, billable }
    await logTime(task.id, body, key.current)
    key.current = crypto.randomUUID()
    announce(m.timeLogged(formatDuration(seconds), formatDay(day)))
  }
  return (
    <TimeForm label={m.logTime} value="" billable={false} reason={write} onSave={save} clears />
  )
}

/** The same for an entry that is there. */
export function EditTime({ entry, onDone }: { entry: TimeEntry; onDone: () => void }) {
  const { duration_seconds, spent_on, note, billable } = entry
  const value = [formatDuration(duration_seconds ?? 0), spent_on, note ?? ''].join(' ').trim()
  const save = async (typed: TypedTime, isBillable: boolean) => {
    const { seconds, day } = typed
    await changeEntry(entry, {
      ...(seconds !== duration_seconds && { duration_seconds: seconds }),
      spent_on: day,
      note: typed.note,
      billable: isBillable,
    })
    onDone()
  }
  return (
    <li>
      <TimeForm
        label={m.editEntry(value)}
        value={value}
        billable={billable}
        onSave={save}
        onCancel={onDone}
      />
    </li>
  )
}

interface FormProps {
  label: string
  value: string
  billable: boolean
  reason?: string | undefined
  /** Empties itself once it was saved, for the next. */
  clears?: boolean
  onSave: (typed: TypedTime, billable: boolean) => Promise<void>
  onCancel?: () => void
}

function TimeForm({ label, value, billable, reason, clears, onSave, onCancel }: FormProps) {
  const [text, setText] = useState(value)
  const [isBillable, setBillable] = useState(billable)
  const [wrong, setWrong] = useState<string>()
  const [busy, setBusy] = useState(false)
  const id = useId()
  const typed = parseTime(text, today())
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (busy || reason !== undefined) return
    if (!typed) {
      setWrong(m.notTime)
      return
    }
    setBusy(true)
    setWrong(undefined)
    try {
      await onSave(typed, isBillable)
      if (clears) setText('')
    } catch (error) {
      setWrong(
        error instanceof Problem ? (error.details[0]?.message ?? error.message) : messageOf(error),
      )
    }
    setBusy(false)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !onCancel) return
    event.stopPropagation()
    onCancel()
  }
  return (
    <form className="line time-form" onSubmit={submit} onKeyDown={onKeyDown} aria-label={label}>
      <span className="gut">{typed && gutterDay(typed.day)}</span>
      <div>
        <input
          className="field"
          data-does={clears ? 'log-time' : undefined}
          aria-label={label}
          aria-describedby={id}
          aria-invalid={wrong !== undefined || undefined}
          placeholder={m.timeHint}
          // biome-ignore lint/a11y/noAutofocus: editing was asked for by a button
          autoFocus={!clears}
          disabled={reason !== undefined}
          title={reason}
          value={text}
          onChange={({ target }) => {
            setText(target.value)
            setWrong(undefined)
          }}
        />
        <label className="check">
          <input
            type="checkbox"
            checked={isBillable}
            disabled={reason !== undefined}
            onChange={({ target }) => setBillable(target.checked)}
          />
          {m.billable}
        </label>
        <Button type="submit" busy={busy} reason={reason}>
          {clears ? m.logTime : m.save}
        </Button>
        {onCancel && (
          <Button kind="plain" onClick={onCancel}>
            {m.cancel}
          </Button>
        )}
        <Wrong id={id} text={wrong} />
      </div>
    </form>
  )
}

const Wrong = ({ id, text }: { id: string; text: ReactNode }) => (
  <p id={id} className={text ? 'error' : 'sr'} role={text ? 'alert' : undefined}>
    {text && <Icon name="warning" />}
    {text ?? m.notTime}
  </p>
)
