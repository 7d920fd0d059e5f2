import { deleteDraft, readDraftsByPrefix } from '../../lib/state/drafts.ts'
import { mutationMessages } from '../../messages/app/mutations.ts'
import { type MutationEntry, pickEntry } from '../mutations/mutation-entry.ts'
import { DRAFT_PREFIX } from '../mutations/mutation-queue.ts'
import type { StoredMutation } from '../mutations/stored-mutation.ts'
import type { PendingComment } from '../resources/comments.ts'
import type { CreateTaskBody } from '../tasks/create-task.ts'
import type { Task, TaskChange } from '../tasks/task-patch.ts'

/** A change or a new task as pages before version 1.0.0 have stored it among the drafts. */
interface DraftedWrite {
  key: string
  workspace_id: string
  at: number
  turn: number
  write:
    | { kind: 'change'; id: string; change: TaskChange; label: string }
    | { kind: 'create'; body: CreateTaskBody; placeholder: Task }
}

type DraftedComment = PendingComment & { workspace_id?: string }

/**
 * The mutations among the drafts: those that a page could not store before it ended, and the writes
 * of an older version. `remove` deletes them there.
 */
export function takeDraftedMutations(workspace_id: string): {
  entries: MutationEntry<StoredMutation>[]
  remove: () => void
} {
  const writes = readDraftsByPrefix('write.').map((text) => JSON.parse(text) as DraftedWrite)
  const comments = readDraftsByPrefix('sending.').map((text) => JSON.parse(text) as DraftedComment)
  const unstored = readDraftsByPrefix(DRAFT_PREFIX)
    .map((text) => JSON.parse(text) as MutationEntry<StoredMutation> & { workspace_id: string })
    .filter((one) => one.workspace_id === workspace_id)
  const ownWrites = writes.filter((one) => one.workspace_id === workspace_id)
  const ownComments = comments.filter((one) => one.workspace_id === workspace_id)
  return {
    entries: [
      ...unstored.map(pickEntry),
      ...ownWrites.map(toEntry),
      ...ownComments.map(toCommentEntry),
    ],
    remove() {
      for (const { key } of unstored) deleteDraft(DRAFT_PREFIX + key)
      for (const { key } of ownWrites) deleteDraft(`write.${key}`)
      for (const { key, task_id } of ownComments) deleteDraft(`sending.${task_id}.${key}`)
    },
  }
}

function toEntry({ key, at, turn, write }: DraftedWrite): MutationEntry<StoredMutation> {
  // Milliseconds leave room for the order of writes of the same moment.
  const order = { key, madeAt: at, turn: at + turn / 1000 }
  if (write.kind === 'create') {
    const queueKey = `new in ${write.body.project_id}`
    return { ...order, queueKey, label: mutationMessages.created(write.body.title), payload: write }
  }
  const { label, ...payload } = write
  return { ...order, queueKey: write.id, label, payload }
}

function toCommentEntry({
  workspace_id: _,
  ...comment
}: DraftedComment): MutationEntry<StoredMutation> {
  const { key, task_id, created_at } = comment
  const madeAt = Date.parse(created_at)
  const payload = { kind: 'comment', comment } as const
  const queueKey = `comments of ${task_id}`
  return { key, queueKey, label: mutationMessages.comment, madeAt, turn: madeAt, payload }
}
