import { useEffect } from 'react'
import type { announceTaskEditing } from '#resources/tasks/internal.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { atom, useAtom } from '../../lib/state/atom.ts'
import { bootState } from '../session/boot.ts'
import { isTempId } from '../tasks/task-store.ts'
import { liveState } from './live-updates.ts'

/** Somebody else who has the title or the description of a task open for editing. */
interface TaskEditor {
  task_id: string
  user_id: string
}

/** Who types is announced again after this time. */
const ANNOUNCE_INTERVAL_MS = 20_000
/** Who was not announced for so long has left, or has stopped typing. */
const EDITOR_TTL_MS = 60_000
const MAX_EDITORS = 100

const editors = atom<readonly TaskEditor[]>([])
/** The tasks that this page edits, and when it announced each last, on the clock of `performance.now()`. */
const announcedAt = new Map<string, number>()

/** Shows for a minute that somebody edits a task, and lets them know if this page edits it, too. */
export function addTaskEditor(task_id: string, user_id: string): void {
  if (user_id === bootState.get()?.session.user.id) return
  const editor = { task_id, user_id }
  const isOther = (one: TaskEditor) => one.task_id !== task_id || one.user_id !== user_id
  editors.set([...editors.get().filter(isOther), editor].slice(-MAX_EDITORS))
  setTimeout(() => editors.set(editors.get().filter((one) => one !== editor)), EDITOR_TTL_MS)
  if (announcedAt.has(task_id)) announceEditing(task_id)
}

/** Tells others that this page edits a task. It is of no use to repeat what fails. */
export function announceEditing(id: string): void {
  const now = performance.now()
  if (now - (announcedAt.get(id) ?? Number.NEGATIVE_INFINITY) < ANNOUNCE_INTERVAL_MS) return
  const canAnnounce = !isTempId(id) && liveState.get() === 'live'
  announcedAt.set(id, canAnnounce ? now : Number.NEGATIVE_INFINITY)
  if (!canAnnounce) return
  requestEndpoint<typeof announceTaskEditing>('PUT /internal/tasks/:id/editing', {
    params: { id },
  }).catch(() => undefined)
}

/** Announces that a task is edited as long as the component is there. */
export function useEditingAnnounced(id: string): void {
  useEffect(() => {
    announceEditing(id)
    return () => void announcedAt.delete(id)
  }, [id])
}

/** The ids of the others who edit a task. */
export const useTaskEditors = (id: string): readonly string[] =>
  useAtom(editors).flatMap(({ task_id, user_id }) => (task_id === id ? user_id : []))
