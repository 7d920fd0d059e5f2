import { type KeyboardEvent, useId, useLayoutEffect, useRef } from 'react'
import {
  addDays,
  addMonths,
  formatDay,
  isDay,
  type PlainDate,
  startOfMonth,
  today,
  weeksOfMonth,
} from '../../lib/day.ts'
import { useSignal } from '../../lib/signal.ts'
import { viewer } from '../../lib/viewer.ts'
import { number } from '../../messages/plural.ts'
import { m } from '../../messages/ui.ts'
import { announce } from '../announce.ts'
import { IconButton } from '../button.tsx'

interface Props {
  /** The day that is set. */
  chosen: PlainDate | null
  /** The day that the typed words mean. */
  aimed: PlainDate | null
  /** The day that the Tab key comes to; its month is what is seen. */
  shown: PlainDate
  onShow: (day: PlainDate) => void
  onPick: (day: PlainDate) => void
}

const STEPS: Record<string, (day: PlainDate) => PlainDate> = {
  ArrowLeft: (day) => addDays(day, -1),
  ArrowRight: (day) => addDays(day, 1),
  ArrowUp: (day) => addDays(day, -7),
  ArrowDown: (day) => addDays(day, 7),
  Home: startOfMonth,
  End: (day) => addDays(addMonths(startOfMonth(day), 1), -1),
  PageUp: (day) => addMonths(day, -1),
  PageDown: (day) => addMonths(day, 1),
  'Shift+PageUp': (day) => addMonths(day, -12),
  'Shift+PageDown': (day) => addMonths(day, 12),
}

/** A month of days to choose one of; the focus moves among them by arrows, months and years. */
export function Calendar({ chosen, aimed, shown, onShow, onPick }: Props) {
  // How weeks begin and days are written.
  useSignal(viewer)
  const heading = useId()
  const here = useRef<HTMLButtonElement>(null)
  const follows = useRef(false)
  useLayoutEffect(() => {
    // Only keys take the focus along: who types a date stays in the field.
    if (shown && follows.current) here.current?.focus()
    follows.current = false
  }, [shown])

  const turn = (months: number) => {
    const day = addMonths(shown, months)
    if (!isDay(day)) return
    onShow(day)
    announce(formatDay(day, 'month'))
  }
  const step = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return
    const day = STEPS[event.shiftKey ? `Shift+${event.key}` : event.key]?.(shown)
    if (day === undefined) return
    event.preventDefault()
    // Beyond the years 1 to 9999 no day can be written.
    if (!isDay(day) || day === shown) return
    follows.current = true
    onShow(day)
  }

  const now = today()
  const weeks = weeksOfMonth(shown)
  const dayOf = (day: PlainDate) => {
    if (day.slice(0, 7) !== shown.slice(0, 7)) return <td key={day} />
    const told = { today: day === now, chosen: day === chosen }
    return (
      // biome-ignore lint/a11y/useAriaPropsSupportedByRole: within a grid it is a cell that can be selected
      <td key={day} aria-selected={told.chosen}>
        <button
          type="button"
          className={looks({ ...told, aimed: day === aimed })}
          aria-label={m.dayTold(formatDay(day, 'long'), told)}
          tabIndex={day === shown ? 0 : -1}
          ref={day === shown ? here : undefined}
          onClick={() => onPick(day)}
        >
          {number(Number(day.slice(8)))}
        </button>
      </td>
    )
  }
  return (
    <div className="cal">
      <header>
        <IconButton icon="left" label={m.previousMonth} onClick={() => turn(-1)} />
        <h2 id={heading}>{formatDay(shown, 'month')}</h2>
        <IconButton icon="right" label={m.nextMonth} onClick={() => turn(1)} />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: arrows move among its days */}
      <table role="grid" aria-labelledby={heading} onKeyDown={step}>
        {/* Every day says its weekday itself. */}
        <thead aria-hidden="true">
          <tr>
            {weeks[0]?.map((day) => (
              <th key={day}>{formatDay(day, 'weekday')}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr key={week[0]}>{week.map(dayOf)}</tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const looks = (is: { today: boolean; chosen: boolean; aimed: boolean }) =>
  ['day-cell', is.today && 'now', is.chosen && 'chosen', is.aimed && 'aimed']
    .filter(Boolean)
    .join(' ')
