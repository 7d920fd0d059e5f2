import { useRef, useState } from 'react'
import { Button, Input, TextField } from 'react-aria-components'
import { addDays, formatDay, type PlainDate, startOfWeek, today } from '../../lib/day.ts'
import { parseWhen } from '../../lib/day-words.ts'
import { instantOf, wallTimeOf } from '../../lib/zoned.ts'
import { m } from '../../messages/ui.ts'
import type { DateFloat } from '../floats.ts'
import { Calendar } from './calendar.tsx'
import { FloatBy, mayFocusField } from './float.tsx'

/** A calendar with a line for words ("fri", "+3d", "none") and, where wanted, a time. */
export function FloatingDate({
  anchor,
  label,
  date,
  at = null,
  timed = false,
  onPick,
  onClose,
}: DateFloat & { onClose: () => void }) {
  const [typed, setTyped] = useState('')
  const [time, setTime] = useState(at === null ? '' : wallTimeOf(at))
  const [shown, setShown] = useState<PlainDate>(date ?? today())
  const done = useRef(false)
  const when = typed.trim() === '' ? undefined : parseWhen(typed)
  const usable = when !== undefined && (timed || when.time === undefined)

  const pick = (day: PlainDate | null, clock = time) => {
    if (done.current) return
    done.current = true
    onClose()
    const instant = day !== null && timed && clock !== '' ? instantOf(day, clock) : null
    if (day !== date || instant !== at) onPick({ date: day, at: instant })
  }
  const type = (text: string) => {
    setTyped(text)
    const read = parseWhen(text)
    if (read?.date) setShown(read.date)
  }
  const close = () => {
    // A time that was changed for a date that is there already is meant.
    if (timed && date !== null && time !== (at === null ? '' : wallTimeOf(at))) pick(date)
    else onClose()
  }
  return (
    <FloatBy anchor={anchor} label={label} onClose={close}>
      <form
        className="date-words"
        onSubmit={(event) => {
          event.preventDefault()
          if (usable) pick(when.date, when.time)
        }}
      >
        {/* The library's own field: it takes the focus when the sheet has it, also within a dialog. */}
        <TextField
          aria-label={m.dateInWords}
          autoFocus={mayFocusField()}
          isInvalid={typed.trim() !== '' && !usable}
          value={typed}
          onChange={type}
        >
          <Input className="field" placeholder={m.dateExample} autoComplete="off" />
        </TextField>
        <p className="hint" aria-live="polite">
          {typed.trim() === '' ? m.dateHint : usable ? told(when) : m.noDateSo}
        </p>
      </form>
      <Calendar
        chosen={date}
        aimed={usable ? when.date : null}
        shown={shown}
        onShow={setShown}
        onPick={pick}
      />
      {timed && (
        <label className="date-time">
          {m.time}
          <input
            type="time"
            className="field"
            value={time}
            onChange={(event) => setTime(event.target.value)}
          />
        </label>
      )}
      <div className="acts date-acts">
        <Shortcut onPress={() => pick(today())}>{m.today}</Shortcut>
        <Shortcut onPress={() => pick(addDays(today(), 1))}>{m.tomorrow}</Shortcut>
        <Shortcut onPress={() => pick(addDays(startOfWeek(today(), 1), 7))}>{m.nextWeek}</Shortcut>
        {date !== null && <Shortcut onPress={() => pick(null)}>{m.noDate}</Shortcut>}
      </div>
    </FloatBy>
  )
}

const Shortcut = (props: { onPress: () => void; children: string }) => (
  <Button className="btn plain" {...props} />
)

/** What the words mean, before they are taken: "Friday 27 November 2026, 14:00". */
const told = ({ date, time }: { date: PlainDate | null; time?: string }): string =>
  date === null ? m.noDate : m.dateAndTime(formatDay(date, 'long'), time)
