import { useEffect, useRef, useState } from 'react'
import { Rows } from '../../../data/task-rows.ts'
import { idOfNumber, taskOf, useTask, useTasksRevision } from '../../../data/task-store.ts'
import { formatDay, type PlainDate } from '../../../lib/day.ts'
import { m } from '../../../messages/views.ts'
import { Button } from '../../../ui/button.tsx'
import { openDialog } from '../../../ui/dialog.tsx'
import { MenuButton } from '../../../ui/menu.tsx'
import { ShortId } from '../../../ui/short-id.tsx'
import { create } from '../create.ts'
import { firstStatus } from '../new-task.ts'
import { datesMenu } from '../plan/reschedule.ts'
import { type Screen, ScreenOf, useScreen } from '../screen.ts'
import type { View } from '../view.ts'

interface Day {
  screen: Screen
  view: View
  day: PlainDate
  /** What is due on it, in the order of the view. */
  numbers: readonly number[]
  /** The line for a new task has the focus. */
  adding?: boolean
}

/** Opens a day: all of its tasks, their dates to be moved, and a line for a new one. */
export const openDay = (of: Day): (() => void) =>
  openDialog({
    title: formatDay(of.day, 'long'),
    body: (close) => (
      <ScreenOf value={of.screen}>
        <DaySheet {...of} onClose={close} />
      </ScreenOf>
    ),
  })

const MOST = 200

function DaySheet({ screen, view, day, numbers, onClose }: Day & { onClose: () => void }) {
  useTasksRevision()
  const { project, locked } = screen
  const [made, note] = useState<readonly string[]>([])
  const rows = useRef<Rows>(undefined)
  const wanted = numbers.slice(0, MOST)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a sheet is of one day
  useEffect(() => {
    rows.current = new Rows(project.id, () => undefined)
    rows.current.want(wanted)
  }, [])
  const shown = wanted.filter((number) => {
    const task = taskOf(idOfNumber(project.id, number) ?? '')
    return !task || task.due_date === day
  })
  const add = (title: string) => {
    const group = firstStatus(project) ?? ''
    const chips = [{ kind: 'due', typed: '', date: day } as const]
    void create({ screen, view: { ...view, group: 'status' }, place: { group } }, title, chips)
    note([...made, title])
  }
  return (
    <div className="day-sheet">
      {shown.length === 0 && made.length === 0 && <p className="quiet">{m.nothingDue}</p>}
      <ul>
        {shown.map((number) => (
          <Line key={number} number={number} onClose={onClose} />
        ))}
        {made.map((title, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines are only added
          <li key={at} className="line">
            <span className="clip">{title}</span>
          </li>
        ))}
      </ul>
      {numbers.length > MOST && <p className="quiet">{m.more(numbers.length - MOST)}</p>}
      {locked === undefined && <NewTask day={day} onAdd={add} />}
      <div className="acts dialog-acts">
        <Button kind="primary" onClick={onClose}>
          {m.close}
        </Button>
      </div>
    </div>
  )
}

function NewTask({ day, onAdd }: { day: PlainDate; onAdd: (title: string) => void }) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const form = event.currentTarget
        const title = String(new FormData(form).get('title') ?? '').trim()
        if (title === '') return
        onAdd(title.slice(0, 500))
        form.reset()
      }}
    >
      <input
        className="field"
        name="title"
        maxLength={500}
        autoComplete="off"
        // biome-ignore lint/a11y/noAutofocus: a sheet puts the focus into its first field
        autoFocus
        aria-label={m.addOn(formatDay(day, 'long'))}
        placeholder={m.addHint}
      />
    </form>
  )
}

function Line({ number, onClose }: { number: number; onClose: () => void }) {
  const screen = useScreen()
  const { project, open, pageOf } = screen
  const task = useTask(idOfNumber(project.id, number))
  const menu = useRef<HTMLLIElement>(null)
  const short_id = `${project.prefix}-${number}`
  return (
    <li ref={menu} className="line acts">
      <a
        className="clip"
        href={number > 0 ? pageOf(short_id) : undefined}
        onClick={(event) => {
          event.preventDefault()
          onClose()
          if (number > 0) open(short_id)
        }}
      >
        <span className="no">
          <ShortId id={short_id} />
        </span>{' '}
        {task?.title}
      </a>
      {task && number > 0 && (
        <MenuButton
          icon="dots"
          label={m.menuOf(short_id)}
          items={datesMenu(screen, number, () => menu.current, false)}
        />
      )}
    </li>
  )
}
