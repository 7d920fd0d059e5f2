import type { Task } from '../../data/task-view.ts'
import { dropDraft, keepDraft, readDraft } from '../../lib/drafts.ts'

/** Keeps what a draft of a description was begun on: what others change until it is saved is a conflict. */
export const keepBegin = ({ id, version, description }: Task): void =>
  keepDraft(keyOf(id), JSON.stringify({ version, description }))

export const dropBegin = (id: string): void => dropDraft(keyOf(id))

/** The task as it was when the draft that is kept was begun; undefined where there is no draft. */
export function keptBegin(task: Task): Task | undefined {
  const kept = readDraft(keyOf(task.id))
  if (readDraft(`description.${task.id}`) === undefined || kept === undefined) return
  try {
    const { version, description } = JSON.parse(kept) as Pick<Task, 'version' | 'description'>
    return { ...task, version, description }
  } catch {
    return
  }
}

const keyOf = (id: string): string => `begin.${id}`
