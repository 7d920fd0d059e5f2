import { useEffect, useRef } from 'react'
import { startTimer, stopTimer, useTimer } from '../../data/timer.ts'
import { m } from '../../messages/tasks.ts'
import { copyText } from '../../ui/copy.tsx'
import { type Shortcut, useKeys } from '../../ui/keys.ts'
import { takeWanted } from '../shell/new-task.ts'
import { act, targetsOf, taskAt } from './act.tsx'
import * as acts from './acts.ts'
import type { Adding } from './adding.ts'
import type { Layout } from './layout.ts'
import { firstStatus } from './new-task.ts'
import { type Field, openField } from './pickers.tsx'
import { nudge } from './reorder.ts'
import type { Screen } from './screen.ts'
import type { View } from './view.ts'

interface Here {
  screen: Screen
  view: View
  look: (change: Partial<View>) => void
  layout: Layout
  adding: Adding
  /** Short id of the task that is open beside it. */
  open: string | undefined
}

/** The keyboard of the list (web.md, section 4). */
export function useListKeys(here: Here): void {
  const running = useTimer()
  const { screen, layout, adding, view, look, open } = here
  const { marks } = screen
  const at = () => marks.cursor
  const on = () => at() !== undefined
  const chosen = () => on() || marks.selected.size > 0
  const task = () => (marks.cursor === undefined ? undefined : taskAt(screen, marks.cursor))
  const step = (by: -1 | 1) => {
    const next = stepFrom(layout.order, marks.cursor, by)
    if (next === undefined) return undefined
    marks.moveTo(next)
    // Who peeks goes on peeking.
    if (open !== undefined && marks.peeking) show(true)
    return next
  }
  const extend = (by: -1 | 1) => {
    marks.anchor ??= marks.cursor
    const next = step(by)
    if (next !== undefined) marks.extend(layout.order, next)
  }
  const pick = (field: Field) => () =>
    openField(screen, field, targetsOf(screen, at()), anchorOf(at(), field))
  const show = (peeking: boolean) => {
    const found = task()
    if (!found) return
    marks.peeking = peeking
    // The panel leaves the focus where it is if it was opened to be looked at.
    rowOf(found.number)?.toggleAttribute('data-peek', peeking)
    screen.open(found.short_id)
  }
  const group = () => sectionKey(layout, at()) ?? defaultGroup(here)
  const leave = () => {
    if (marks.selected.size > 0) marks.select([])
    else screen.open(undefined)
  }
  const table: Shortcut[] = [
    { keys: 'j|arrowdown', label: m.next, repeats: true, run: () => step(1) },
    { keys: 'k|arrowup', label: m.previous, repeats: true, run: () => step(-1) },
    { keys: 'enter', label: m.openTask, when: on, run: () => show(false) },
    { keys: 'space', label: m.peek, when: on, run: () => show(true) },
    { keys: 'x', label: m.selectKey, when: on, run: () => marks.toggle(at() ?? 0) },
    { keys: 'shift+j|shift+arrowdown', label: m.extendDown, repeats: true, run: () => extend(1) },
    { keys: 'shift+k|shift+arrowup', label: m.extendUp, repeats: true, run: () => extend(-1) },
    { keys: 'mod+a', label: m.allInGroup, run: () => marks.select(sectionNumbers(layout, at())) },
    {
      keys: 'escape',
      label: m.escape,
      when: () => marks.selected.size > 0 || open !== undefined,
      run: leave,
    },
    { keys: 'c', label: m.newTask, run: () => adding.begin({ group: group() }) },
    {
      keys: 'shift+c',
      label: m.newSubtask,
      when: on,
      run: () => adding.begin({ group: group(), parent: task() }),
    },
    { keys: 's', label: m.setStatus, when: chosen, run: pick('status') },
    { keys: 'p', label: m.setPriority, when: chosen, run: pick('priority') },
    { keys: 'a', label: m.setPeople, when: chosen, run: pick('assignees') },
    { keys: 'l', label: m.setTags, when: chosen, run: pick('tags') },
    { keys: 'd', label: m.setDue, when: chosen, run: pick('due') },
    { keys: 'i', label: m.assignMe, when: chosen, run: () => assignMe(screen, at()) },
    { keys: 'shift+s', label: m.timer, when: on, run: toggleTimer },
    { keys: 'e|f2', label: m.editTitle, when: on, run: () => screen.locked ?? marks.edit(at()) },
    { keys: 'mod+enter', label: m.complete, when: chosen, run: toggleDone },
    { keys: 'alt+arrowup', label: m.moveUp, when: on, repeats: true, run: () => move(-1) },
    { keys: 'alt+arrowdown', label: m.moveDown, when: on, repeats: true, run: () => move(1) },
    { keys: '#', label: m.delete, when: chosen, run: remove },
    {
      keys: 'y',
      label: m.copyLink,
      when: on,
      run: () => copy((id) => location.origin + screen.pageOf(id)),
    },
    { keys: 'shift+y', label: m.copyId, when: on, run: () => copy((id) => id) },
    { keys: '1', label: m.toList, run: () => look({ shape: 'list' }) },
    { keys: '2', label: m.toBoard, run: () => look({ shape: 'board' }) },
    { keys: '3', label: m.toTimeline, run: () => look({ shape: 'timeline' }) },
    { keys: '4', label: m.toCalendar, run: () => look({ shape: 'calendar' }) },
  ]
  useKeys(m.keysList, table)
  const begin = useRef((): void => undefined)
  useEffect(() => {
    begin.current = () => adding.begin({ group: defaultGroup(here) })
  })
  useEffect(() => {
    const add = () => begin.current()
    addEventListener('docket:new-task', add)
    if (takeWanted()) add()
    return () => removeEventListener('docket:new-task', add)
  }, [])

  function move(by: -1 | 1): void {
    const number = at()
    if (number !== undefined) nudge(screen, view, layout, number, by)
  }

  function toggleTimer(): void {
    const found = task()
    if (!found || screen.locked !== undefined) return
    if (running?.task.id === found.id) stopTimer()
    else startTimer(found)
  }

  function toggleDone(): void {
    const found = task()
    const wish = found && acts.toggleDone(screen, found)
    if (wish) act(screen, targetsOf(screen, at()), wish)
  }

  function remove(): void {
    const numbers = targetsOf(screen, at())
    const next = stepFrom(
      layout.order.filter((one) => one === at() || !numbers.includes(one)),
      at(),
      1,
    )
    act(screen, numbers, acts.remove(screen))
    marks.select([])
    marks.moveTo(next)
  }

  function copy(of: (short_id: string) => string): void {
    const found = task()
    if (found) void copyText(of(found.short_id))
  }
}

/** Assigns the person, or takes them off where they are on all of it. */
function assignMe(screen: Screen, number: number | undefined): void {
  const numbers = targetsOf(screen, number)
  const { me } = screen
  const mine = numbers.every((one) => taskAt(screen, one)?.assignee_ids.includes(me))
  act(screen, numbers, mine ? acts.setPeople([], [me]) : acts.setPeople([me], []))
}

function stepFrom(order: readonly number[], cursor: number | undefined, by: -1 | 1) {
  const at = cursor === undefined ? -1 : order.indexOf(cursor)
  if (at < 0) return by > 0 ? order[0] : order.at(-1)
  return order[at + by]
}

const sectionOf = (layout: Layout, number: number | undefined) =>
  layout.sections.find(({ lines }) => lines.some((line) => line.number === number))

const sectionKey = (layout: Layout, number: number | undefined) => sectionOf(layout, number)?.key

function sectionNumbers(layout: Layout, number: number | undefined): number[] {
  const section = sectionOf(layout, number) ?? layout.sections[0]
  return section?.lines.map((line) => line.number) ?? []
}

/** Where a new task goes while no task is pointed at. */
function defaultGroup({ screen, view, layout }: Here): string {
  if (view.group === 'status') return firstStatus(screen.project) ?? ''
  return layout.sections[0]?.key ?? (view.group === 'none' ? 'all' : 'none')
}

const rowOf = (number: number | undefined) =>
  document.querySelector<HTMLElement>(`[data-number="${number}"]`)

/** The cell that a picker belongs to, or its row, or what has the focus. */
function anchorOf(number: number | undefined, field: Field): Element {
  const row = rowOf(number)
  return (
    row?.querySelector(`[data-field="${field}"]`) ??
    row?.querySelector('.st') ??
    row ??
    document.body
  )
}
