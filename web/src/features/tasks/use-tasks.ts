import { useMemo, useState, useSyncExternalStore } from 'react'
import { changedSince } from '../../data/local-changes.ts'
import { useIndex } from '../../data/project-index.ts'
import { idOfNumber, isWaiting, onTasks, taskOf, tasksRevision } from '../../data/task-store.ts'
import type { Task } from '../../data/task-view.ts'
import { matches, type Query, queryOf } from './filter-query.ts'
import { compareBy, keysOf } from './groups.ts'
import { type Local, place, type Rules } from './placement.ts'
import type { Screen } from './screen.ts'
import { sortText, type View } from './view.ts'

/**
 * The tasks of a view in their groups, with what was changed here since the server ordered them. While another
 * view is on its way, the one before is shown: `shown.view` tells which it is.
 */
export function useTasks(screen: Screen, view: View, more: Query = NO_MORE, wanted = true) {
  const { project, meaning } = screen
  const { filter, group, sort, descending } = view
  const query = useMemo(() => {
    const { api, beyond } = queryOf(filter, meaning)
    return { ...api, ...beyond, ...more, group, sort: sortText({ sort, descending }) }
  }, [filter, meaning, group, sort, descending, more])
  const { indexed, error, retry } = useIndex(project.id, query, wanted)
  const rules = useMemo((): Rules<Task> => {
    const known = (number: number) => taskOf(idOfNumber(project.id, number) ?? '')
    return {
      today: meaning.today,
      keysOf: (task) =>
        task.project_id === project.id && matches(task, filter, meaning)
          ? keysOf(task, group, meaning.today, (id) => taskOf(id)?.number)
          : [],
      compare(a, b) {
        const [x, y] = [known(a), known(b)]
        return x && y ? compareBy(sort, descending, x, y) : undefined
      },
    }
  }, [project.id, meaning, filter, group, sort, descending])
  const watch = useMemo(
    () => watchLocals(project.id, indexed?.askedAt ?? 0, rules, view),
    [project.id, indexed?.askedAt, rules, view],
  )
  const locals = useSyncExternalStore(onTasks, watch)
  const now = useMemo(
    () => indexed && { project, view, index: place(indexed.index, locals, rules) },
    [indexed, locals, rules, project, view],
  )
  const [before, keep] = useState(now)
  if (now && now !== before) keep(now)
  const shown = now ?? (before?.project.id === project.id ? before : undefined)
  return { shown, error, retry }
}

const NO_MORE: Query = {}

/**
 * The tasks that were changed here since the index was asked for. It gives the same list as before while none of
 * them would be placed otherwise: a title that is being typed renders a row and no list.
 */
function watchLocals(
  project_id: string,
  since: number,
  { keysOf }: Rules<Task>,
  { sort }: View,
): () => readonly Local<Task>[] {
  let seen = -1
  let signature = ''
  let locals: readonly Local<Task>[] = []
  return () => {
    if (seen === tasksRevision()) return locals
    seen = tasksRevision()
    const next = changedSince(since, isWaiting)
      .filter((one) => one.project_id === project_id)
      .map(({ id, number, was, anchor }): Local<Task> => {
        const now = taskOf(id)
        const beside = anchor && taskOf(anchor.id)
        return {
          ...{ number, was, now },
          anchor: beside && { number: beside.number, after: anchor.after },
          parent: taskOf(now?.parent_id ?? '')?.number,
        }
      })
    const sign = JSON.stringify(
      next.map(({ number, now, anchor, parent }) => [
        ...[number, anchor, parent, now && keysOf(now), now?.[sort], now?.start_date],
        ...[now?.estimate_seconds, now?.time_spent_seconds, now?.status, now?.due_date],
      ]),
    )
    if (sign !== signature) {
      signature = sign
      locals = next
    }
    return locals
  }
}
