import { type RefObject, useCallback } from 'react'
import { useBoot } from '../../data/boot.ts'
import { removeTask } from '../../data/task-writes.ts'
import { startTimer, stopTimer, useTimer } from '../../data/timer.ts'
import { m } from '../../messages/task.ts'
import { type Shortcut, useKeys } from '../../ui/keys.ts'
import { copyId, copyLink } from './copy-task.ts'
import { useOpenTask } from './open-task.ts'
import { press } from './press.ts'
import { assign } from './props/people.tsx'
import { useRights } from './rights.ts'
import { siblingOf } from './siblings.ts'
import { toggleComplete } from './status-pick.tsx'

/**
 * The shortcuts of a task. Beside a list they are the task's while the focus is in it, or nowhere; while it is in the
 * list they are the list's.
 */
export function useTaskKeys(
  frame: RefObject<HTMLElement | null>,
  siblings: readonly string[],
): void {
  const boot = useBoot()
  const open = useOpenTask()
  const { task, project, page, go, leave } = open
  const rights = useRights()
  const running = useTimer()
  const me = boot.session.user.id
  const here = useCallback(() => page || isHere(frame.current), [page, frame])
  const may = () => here() && rights.write === undefined
  const step = (by: -1 | 1) => () => {
    const other = siblingOf(siblings, task.short_id, by)
    if (other) go(other)
  }
  const one = (keys: string, label: string, run: () => void, when = may): Shortcut => ({
    ...{ keys, label, run, when },
  })
  const pressed = (does: string) => () => press(does)
  useKeys(m.keys, [
    one('mod+enter', m.complete, () => toggleComplete(task, project)),
    one('e', m.editTitle, pressed('title')),
    one('shift+e', m.editDescription, pressed('description')),
    one('s', m.status, pressed('status')),
    one('p', m.priority, pressed('priority')),
    one('a', m.people, pressed('people')),
    one('l', m.tags, pressed('tags')),
    one('d', m.due, pressed('due')),
    one('i', m.assignMe, () =>
      task.assignee_ids.includes(me) ? assign(boot, task, [], [me]) : assign(boot, task, [me], []),
    ),
    one('shift+s', m.startTimer, () =>
      running?.task.id === task.id ? stopTimer() : startTimer(task),
    ),
    one('shift+c', m.addSubtask, pressed('subtask')),
    one('m', m.comment, pressed('comment')),
    one('y', m.copyLink(task.short_id), () => void copyLink(task), here),
    one('shift+y', m.copyId, () => void copyId(task), here),
    one('[', m.previous, step(-1), () => siblings.length > 0),
    one(']', m.next, step(1), () => siblings.length > 0),
    one(
      '#',
      m.remove,
      () => {
        removeTask(task.id, { label: m.removed(task.short_id) })
        leave()
      },
      () => here() && rights.remove === undefined,
    ),
    // From the list it closes only what was opened there, and after what is selected was let go.
    one('escape', m.close, leave, () => !page && (here() || isOpener())),
  ])
}

/** Whether the focus is in the task, or in nothing of the list beside it. */
function isHere(frame: HTMLElement | null): boolean {
  const focused = document.activeElement
  if (!focused || focused === document.body) return true
  return frame?.contains(focused) === true || !document.querySelector('main')?.contains(focused)
}

/** Whether the focus is on what opened a task, in a list in which nothing is selected. */
const isOpener = (): boolean =>
  document.activeElement?.closest('[data-open]') != null &&
  document.querySelector('main [aria-selected="true"]') === null
