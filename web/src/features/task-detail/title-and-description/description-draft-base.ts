import type { Task } from '../../../data/tasks/task-patch.ts'
import { deleteDraft, readDraft, saveDraft } from '../../../lib/state/drafts.ts'

/**
 * Stores the version of the task that a description draft was started from. Changes that others
 * make after it are conflicts.
 */
export function saveDraftBase({ id, version, description }: Task): void {
  saveDraft(getStorageKey(id), JSON.stringify({ version, description }))
}

export const clearDraftBase = (id: string): void => deleteDraft(getStorageKey(id))

/** Returns the task as it was when the stored draft was started; undefined without a draft. */
export function readDraftBase(task: Task): Task | undefined {
  const stored = readDraft(getStorageKey(task.id))
  if (readDraft(`description.${task.id}`) === undefined || stored === undefined) return
  try {
    const { version, description } = JSON.parse(stored) as Pick<Task, 'version' | 'description'>
    return { ...task, version, description }
  } catch {
    return
  }
}

const getStorageKey = (id: string): string => `begin.${id}`
