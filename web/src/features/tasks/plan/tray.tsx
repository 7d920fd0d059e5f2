import { type PointerEvent, useEffect, useState } from 'react'
import type { Rows } from '../../../data/task-rows.ts'
import { idOfNumber, useTask } from '../../../data/task-store.ts'
import { m } from '../../../messages/views.ts'
import { Button } from '../../../ui/button.tsx'
import { DateButton } from '../../../ui/pick.tsx'
import { ShortId } from '../../../ui/short-id.tsx'
import { useScreen } from '../screen.ts'
import { carrySlip } from './carry.ts'
import { settled } from './moved-span.ts'
import { setSpan, spanOf } from './reschedule.ts'

const AT_ONCE = 50

interface Props {
  numbers: readonly number[]
  label: string
  rows: Rows
  readOnly: boolean
  /** The day on which a slip is let go; undefined: nowhere. */
  dayAt: (under: Element | null, x: number) => string | undefined
}

/** What has no day yet: drawn onto one, or given one from its menu. */
export function Tray({ numbers, label, rows, readOnly, dayAt }: Props) {
  const [open, setOpen] = useState(false)
  const [most, setMost] = useState(AT_ONCE)
  const shown = open ? numbers.slice(0, most) : []
  const wanted = shown.join()
  useEffect(() => {
    if (wanted) rows.want(wanted.split(',').map(Number))
  }, [rows, wanted])
  if (numbers.length === 0) return null
  return (
    <section className="tray" aria-label={label}>
      <Button
        kind="plain"
        icon={open ? 'down' : 'right'}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {label}
      </Button>
      {open && (
        <ul>
          {shown.map((number) => (
            <Slip key={number} {...{ number, readOnly, dayAt }} />
          ))}
          {numbers.length > most && (
            <li>
              <Button kind="plain" onClick={() => setMost(most + AT_ONCE)}>
                {m.moreTasks(Math.min(AT_ONCE, numbers.length - most))}
              </Button>
            </li>
          )}
        </ul>
      )}
    </section>
  )
}

function Slip({ number, readOnly, dayAt }: Pick<Props, 'readOnly' | 'dayAt'> & { number: number }) {
  const screen = useScreen()
  const task = useTask(idOfNumber(screen.project.id, number))
  if (!task) return <li className="plan-slip">{`${screen.project.prefix}-${number}`}</li>
  const give = (due: string | null | undefined) => {
    if (due) setSpan(screen, number, settled({ ...spanOf(task), due }, 'due'))
  }
  const grasp = (event: PointerEvent<HTMLElement>) => {
    if (readOnly || screen.locked !== undefined || number < 0) return
    carrySlip(event, event.currentTarget, (under, { x }, drop) => drop && give(dayAt(under, x)))
  }
  return (
    <li className="plan-slip" onPointerDown={grasp}>
      <a
        href={number > 0 ? screen.pageOf(task.short_id) : undefined}
        draggable={false}
        onClick={(event) => {
          event.preventDefault()
          if (number > 0) screen.open(task.short_id)
        }}
      >
        <span className="no">
          <ShortId id={task.short_id} />
        </span>{' '}
        {task.title}
      </a>
      {!readOnly && (
        <DateButton
          icon="day"
          label={m.dueOf(task.short_id)}
          reason={screen.locked}
          pick={{ date: task.due_date, onPick: ({ date }) => give(date) }}
        />
      )}
    </li>
  )
}
