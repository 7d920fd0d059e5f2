import type { Task, TaskPatch } from '../../data/task-view.ts'
import { changeTask } from '../../data/task-writes.ts'
import { toast } from '../../data/toasts.ts'
import { m } from '../../messages/tasks.ts'
import { announce } from '../../ui/announce.ts'
import { taskAt } from './act.tsx'
import { patchTo } from './groups.ts'
import type { Layout, Section } from './layout.ts'
import type { Line } from './placement.ts'
import type { Screen } from './screen.ts'
import { cellLabel } from './sections.ts'
import type { View } from './view.ts'

/** Where a task is put: beside another in a group, or at the end of an empty one. */
export interface Spot {
  key: string
  beside?: { number: number; after: boolean } | undefined
}

/** Puts a task at another place by hand, and into another group where that is one. */
export function put(screen: Screen, view: View, number: number, from: Spot, to: Spot): void {
  const task = taskAt(screen, number)
  if (!task || screen.locked !== undefined) return
  const patch = patchOf(screen, view, task, from, to)
  if (!patch) {
    announce(m.noPlace)
    return
  }
  const back = patchOf(screen, view, { ...task, ...patch } as Task, to, from)
  const where = from.key === to.key ? undefined : cellLabel(screen, view, to.key)
  const text = where ? m.moved(task.short_id, where) : m.reordered(task.short_id)
  changeTask(task.id, patch)
  toast({ text, ...(back && { undo: () => changeTask(task.id, back) }) })
}

function patchOf(
  screen: Screen,
  view: View,
  task: Task,
  from: Spot,
  to: Spot,
): TaskPatch | undefined {
  const into = patchTo(view, to.key, screen.meaning.today, { task, key: from.key })
  if (!into) return undefined
  const byHand = view.sort === 'position'
  const beside = to.beside && byHand ? taskAt(screen, to.beside.number) : undefined
  if (!beside && Object.keys(into).length === 0) return undefined
  return {
    ...into,
    ...(beside && (to.beside?.after ? { after_id: beside.id } : { before_id: beside.id })),
  }
}

/** Where a task stands now, told by its neighbour: that is how it comes back. */
export function spotOf(section: Section, number: number): Spot {
  const { key, lines } = section
  const at = lines.findIndex((line) => line.number === number)
  const [before, after] = [lines[at - 1], lines[at + 1]]
  if (after) return { key, beside: { number: after.number, after: false } }
  return { key, beside: before && { number: before.number, after: true } }
}

/** Moves a task one place up or down among those of its depth, or into the group below; told to who cannot see it. */
export function nudge(
  screen: Screen,
  view: View,
  layout: Layout,
  number: number,
  by: -1 | 1,
): void {
  const byHand = view.sort === 'position'
  if (!byHand && layout.below === 1) {
    toast({ text: m.sortedReason })
    return
  }
  const at = layout.sections.findIndex(({ lines }) => lines.some((line) => line.number === number))
  const section = layout.sections[at]
  if (!section) return
  const beside = byHand ? neighbour(section.lines, number, by) : undefined
  const from = spotOf(section, number)
  if (beside) {
    put(screen, view, number, from, {
      key: section.key,
      beside: { number: beside.number, after: by > 0 },
    })
    tell(screen, number, beside.number, by)
    return
  }
  const other = layout.sections[at + by * layout.below]
  if (!other || !layout.headed) return
  const edge = by > 0 ? other.lines[0] : other.lines.at(-1)
  const spot = { key: other.key, beside: edge && { number: edge.number, after: by < 0 } }
  put(screen, view, number, from, spot)
  announce(m.moved(`${screen.project.prefix}-${number}`, other.label))
}

/** The next task of the same depth, with no shallower one between: its subtasks are passed over. */
function neighbour(lines: readonly Line[], number: number, by: -1 | 1): Line | undefined {
  const at = lines.findIndex((line) => line.number === number)
  const depth = lines[at]?.depth ?? 0
  for (let next = at + by; lines[next]; next += by) {
    const line = lines[next]
    if (!line || line.depth < depth) return undefined
    if (line.depth === depth) return line
  }
  return undefined
}

function tell(screen: Screen, number: number, other: number, by: -1 | 1): void {
  const id = (one: number) => `${screen.project.prefix}-${one}`
  announce(by < 0 ? m.movedUp(id(number), id(other)) : m.movedDown(id(number), id(other)))
}
