import './calendar.css'
import { useRef, useState } from 'react'
import { Button, Input, TextField } from 'react-aria-components'
import { parseTypedDate } from '#lib/typed-dates.ts'
import { getDateContext } from '../../lib/dates/date-context.ts'
import {
  addDaysToDate,
  formatDay,
  type PlainDate,
  startOfWeek,
  today,
} from '../../lib/dates/plain-date.ts'
import { toInstant, toWallTime } from '../../lib/dates/time-zone.ts'
import { datePickerMessages } from '../../messages/app/date-picker.ts'
import { canAutoFocusField } from '../overlays/option-list.tsx'
import type { DateOverlay } from '../overlays/overlay-stack.ts'
import { AnchoredSheet } from './anchored-sheet.tsx'
import { Calendar } from './calendar.tsx'

/** A calendar with a field for typed dates ("fri", "+3d", "none") and optionally a time. */
export function DatePopover({
  anchor,
  label,
  date,
  at = null,
  mixed = false,
  timed = false,
  onPick,
  onClose,
}: DateOverlay & { onClose: () => void }) {
  const [typed, setTyped] = useState('')
  const [time, setTime] = useState(at === null ? '' : toWallTime(at))
  const [activeDay, setActiveDay] = useState<PlainDate>(date ?? today())
  const isDone = useRef(false)
  const parsed = typed.trim() === '' ? undefined : parseTypedDate(typed, getDateContext())
  const isUsable = parsed !== undefined && (timed || parsed.time === undefined)

  const pick = (day: PlainDate | null, wallTime = time) => {
    if (isDone.current) return
    isDone.current = true
    onClose()
    const instant = day !== null && timed && wallTime !== '' ? toInstant(day, wallTime) : null
    if (mixed || day !== date || instant !== at) onPick({ date: day, at: instant })
  }
  const handleInput = (text: string) => {
    setTyped(text)
    const parsedInput = parseTypedDate(text, getDateContext())
    if (parsedInput?.date) setActiveDay(parsedInput.date)
  }
  const close = () => {
    // Closing keeps a time that was changed for the existing date.
    if (timed && date !== null && time !== (at === null ? '' : toWallTime(at))) pick(date)
    else onClose()
  }
  return (
    <AnchoredSheet anchor={anchor} label={label} onClose={close}>
      <form
        className="date-words"
        onSubmit={(event) => {
          event.preventDefault()
          if (isUsable) pick(parsed.date, parsed.time)
          else if (typed.trim() === '') pick(today())
        }}
      >
        {/* React Aria's field, because it takes the focus with the sheet, also inside a dialog. */}
        <TextField
          aria-label={datePickerMessages.dateInWords}
          autoFocus={canAutoFocusField()}
          isInvalid={typed.trim() !== '' && !isUsable}
          value={typed}
          onChange={handleInput}
        >
          <Input
            className="field"
            placeholder={datePickerMessages.dateExample}
            autoComplete="off"
          />
        </TextField>
        <p className="hint" aria-live="polite">
          {typed.trim() === ''
            ? datePickerMessages.todayHint
            : isUsable
              ? formatParsed(parsed)
              : datePickerMessages.invalidDate}
        </p>
      </form>
      <Calendar
        selectedDay={date}
        previewedDay={isUsable ? parsed.date : null}
        activeDay={activeDay}
        onShow={setActiveDay}
        onPick={pick}
      />
      {timed && (
        <label className="date-time">
          {datePickerMessages.time}
          <input
            type="time"
            className="field"
            value={time}
            onChange={(event) => setTime(event.target.value)}
          />
        </label>
      )}
      <div className="acts date-acts">
        <DateShortcut onPress={() => pick(today())}>{datePickerMessages.today}</DateShortcut>
        <DateShortcut onPress={() => pick(addDaysToDate(today(), 1))}>
          {datePickerMessages.tomorrow}
        </DateShortcut>
        <DateShortcut onPress={() => pick(addDaysToDate(startOfWeek(today(), 1), 7))}>
          {datePickerMessages.nextWeek}
        </DateShortcut>
        {(mixed || date !== null) && (
          <DateShortcut onPress={() => pick(null)}>{datePickerMessages.noDate}</DateShortcut>
        )}
      </div>
    </AnchoredSheet>
  )
}

const DateShortcut = (props: { onPress: () => void; children: string }) => (
  <Button className="btn plain" {...props} />
)

/** Formats the parsed date as a preview: "Friday 27 November 2026, 14:00". */
const formatParsed = ({ date, time }: { date: PlainDate | null; time?: string }): string =>
  date === null
    ? datePickerMessages.noDate
    : datePickerMessages.dateAndTime(formatDay(date, 'long'), time)
