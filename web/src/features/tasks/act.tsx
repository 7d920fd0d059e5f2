import type { Group, Meant, Refused } from '../../data/bulk.ts'
import { idOfNumber, taskOf } from '../../data/task-store.ts'
import type { Task } from '../../data/task-view.ts'
import { changeTask, completeTasks, removeTask } from '../../data/task-writes.ts'
import { toast } from '../../data/toasts.ts'
import { m } from '../../messages/tasks.ts'
import { Button } from '../../ui/button.tsx'
import { openDialog } from '../../ui/dialog.tsx'
import type { Screen } from './screen.ts'

/** What is to be done to each of some tasks; undefined leaves one as it is. */
export interface Act {
  /** "Moved … to Done", of a short id or of "12 tasks". */
  label: (what: string) => string
  meant: (task: Task) => Meant | undefined
}

export const taskAt = ({ project }: Screen, number: number): Task | undefined =>
  taskOf(idOfNumber(project.id, number) ?? '')

/** A task that is pressed or under the cursor stands for all that are selected, if it is one of them. */
export function targetsOf({ marks }: Screen, number: number | undefined): readonly number[] {
  if (number === undefined) return marks.selected.size > 0 ? [...marks.selected] : []
  return marks.selected.has(number) ? [...marks.selected] : [number]
}

/** A short id, or "12 tasks". */
export function whatOf(screen: Screen, numbers: readonly number[]): string {
  const [only] = numbers
  if (numbers.length !== 1 || only === undefined) return m.tasks(numbers.length)
  return taskAt(screen, only)?.short_id ?? `${screen.project.prefix}-${only}`
}

/** Does something to one task or to many of a project, with one undo. */
export function act(screen: Screen, numbers: readonly number[], { label, meant }: Act): void {
  const there = numbers.filter((number) => number > 0)
  if (screen.locked !== undefined || there.length === 0) return
  const text = label(whatOf(screen, there))
  const [only] = there
  if (there.length > 1 || only === undefined) {
    many([{ project_id: screen.project.id, numbers: there }], text, meant)
    return
  }
  const task = taskAt(screen, only)
  const wish = task && meant(task)
  if (task && wish) one(task, wish, text)
}

/** The same to tasks of several projects. */
export function actOn(tasks: readonly Task[], { label, meant }: Act): void {
  const [only] = tasks
  if (!only) return
  const text = label(tasks.length === 1 ? only.short_id : m.tasks(tasks.length))
  if (tasks.length === 1) {
    const wish = meant(only)
    if (wish) one(only, wish, text)
    return
  }
  const groups = [...Map.groupBy(tasks, ({ project_id }) => project_id)].map(
    ([project_id, some]) => ({ project_id, numbers: some.map(({ number }) => number) }),
  )
  many(groups, text, meant)
}

function many(of: readonly Group[], label: string, meant: Act['meant']): void {
  void import('./beyond.ts').then(({ changeMany }) => {
    const wish = (_: number, task: Task | undefined) => task && meant(task)
    toast({ text: label, undo: changeMany({ of, label, onRefused: tellRefused, meant: wish }) })
  })
}

function one(task: Task, { kind, patch }: Meant, label: string): void {
  const telling = { label, from: task }
  if (kind === 'delete') removeTask(task.id, telling)
  else if (kind === 'complete') completeTasks(task.id, patch.status ?? task.status, telling)
  else changeTask(task.id, patch, telling)
}

function tellRefused(refused: readonly Refused[]): void {
  const run = () =>
    openDialog({
      title: m.refused(refused.length),
      body: (close) => (
        <>
          <ul className="refusals">
            {refused.map(({ short_id, reason }) => (
              <li key={short_id} className="line">
                <span className="gut">{short_id}</span>
                <span>{reason}</span>
              </li>
            ))}
          </ul>
          <div className="acts dialog-acts">
            <Button kind="primary" onClick={close}>
              {m.close}
            </Button>
          </div>
        </>
      ),
    })
  toast({ text: m.refused(refused.length), tone: 'trouble', action: { label: m.why, run } })
}
