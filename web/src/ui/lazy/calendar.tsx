import './calendar.css'
import { type KeyboardEvent, useId, useLayoutEffect, useRef } from 'react'
import {
  addDaysToDate,
  addMonthsToDate,
  formatDay,
  isPlainDate,
  type PlainDate,
  startOfMonth,
  today,
  weeksOfMonth,
} from '../../lib/dates/plain-date.ts'
import { viewer } from '../../lib/locale/viewer.ts'
import { useAtom } from '../../lib/state/atom.ts'
import { datePickerMessages } from '../../messages/app/date-picker.ts'
import { formatNumber } from '../../messages/plural.ts'
import { announce } from '../feedback/announce.ts'
import { IconButton } from '../form/button.tsx'

interface CalendarProps {
  /** The currently set day. */
  selectedDay: PlainDate | null
  /** The day that the typed text describes. */
  previewedDay: PlainDate | null
  /** The tabbable day; its month is displayed. */
  activeDay: PlainDate
  onShow: (day: PlainDate) => void
  onPick: (day: PlainDate) => void
}

const DAY_BY_KEY: Record<string, (day: PlainDate) => PlainDate> = {
  ArrowLeft: (day) => addDaysToDate(day, -1),
  ArrowRight: (day) => addDaysToDate(day, 1),
  ArrowUp: (day) => addDaysToDate(day, -7),
  ArrowDown: (day) => addDaysToDate(day, 7),
  Home: startOfMonth,
  End: (day) => addDaysToDate(addMonthsToDate(startOfMonth(day), 1), -1),
  PageUp: (day) => addMonthsToDate(day, -1),
  PageDown: (day) => addMonthsToDate(day, 1),
  'Shift+PageUp': (day) => addMonthsToDate(day, -12),
  'Shift+PageDown': (day) => addMonthsToDate(day, 12),
}

/** A month grid with one tabbable day; arrow and page keys move by days, months and years. */
export function Calendar({ selectedDay, previewedDay, activeDay, onShow, onPick }: CalendarProps) {
  // Renders again when the first day of the week or the date format changes.
  useAtom(viewer)
  const heading = useId()
  const focusedDay = useRef<HTMLButtonElement>(null)
  const moveFocus = useRef(false)
  useLayoutEffect(() => {
    // Only navigation keys move the focus; typing a date leaves it in the field.
    if (activeDay && moveFocus.current) focusedDay.current?.focus()
    moveFocus.current = false
  }, [activeDay])

  const showMonth = (months: number) => {
    const day = addMonthsToDate(activeDay, months)
    if (!isPlainDate(day)) return
    onShow(day)
    announce(formatDay(day, 'month'))
  }
  const handleKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return
    const day = DAY_BY_KEY[event.shiftKey ? `Shift+${event.key}` : event.key]?.(activeDay)
    if (day === undefined) return
    event.preventDefault()
    // The date format ends at the years 1 and 9999.
    if (!isPlainDate(day) || day === activeDay) return
    moveFocus.current = true
    onShow(day)
  }

  const now = today()
  const weeks = weeksOfMonth(activeDay)
  const renderDay = (day: PlainDate) => {
    if (day.slice(0, 7) !== activeDay.slice(0, 7)) return <td key={day} />
    const state = { today: day === now, chosen: day === selectedDay }
    return (
      // biome-ignore lint/a11y/useAriaPropsSupportedByRole: in a grid a cell can be selected
      <td key={day} aria-selected={state.chosen}>
        <button
          type="button"
          className={getDayClass({ ...state, aimed: day === previewedDay })}
          aria-label={datePickerMessages.dayLabel(formatDay(day, 'long'), state)}
          tabIndex={day === activeDay ? 0 : -1}
          ref={day === activeDay ? focusedDay : undefined}
          onClick={() => onPick(day)}
        >
          {formatNumber(Number(day.slice(8)))}
        </button>
      </td>
    )
  }
  return (
    <div className="cal">
      <header>
        <IconButton
          icon="left"
          label={datePickerMessages.previousMonth}
          onClick={() => showMonth(-1)}
        />
        <h2 id={heading}>{formatDay(activeDay, 'month')}</h2>
        <IconButton
          icon="right"
          label={datePickerMessages.nextMonth}
          onClick={() => showMonth(1)}
        />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: arrow keys move between its days */}
      <table role="grid" aria-labelledby={heading} onKeyDown={handleKeyDown}>
        {/* Hidden because the label of every day contains its weekday. */}
        <thead aria-hidden="true">
          <tr>
            {weeks[0]?.map((day) => (
              <th key={day}>{formatDay(day, 'weekday')}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr key={week[0]}>{week.map(renderDay)}</tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const getDayClass = (state: { today: boolean; chosen: boolean; aimed: boolean }) =>
  ['day-cell', state.today && 'now', state.chosen && 'chosen', state.aimed && 'aimed']
    .filter(Boolean)
    .join(' ')
