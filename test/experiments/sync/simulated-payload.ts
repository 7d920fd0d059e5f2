import type { TaskChange } from '../../../web/src/data/tasks/task-patch.ts'
import type { NoteEdit } from './simulated-notes.ts'

/** What a person does, as the log stores it. */
export type SimulatedPayload =
  | { kind: 'create'; tempId: string; title: string }
  | { kind: 'change'; id: string; change: TaskChange }
  | ({ kind: 'edit' } & NoteEdit)
  | { kind: 'comment' | 'delete'; text: string }
  | { kind: 'start' }
  | { kind: 'stop'; entry: string }

/** What a person has typed in it, which must not be lost. */
export function getTypedText(payload: SimulatedPayload): string | undefined {
  if (payload.kind === 'create') return payload.title
  if (payload.kind === 'comment') return payload.text
  if (payload.kind === 'edit') return payload.patch.text
  return payload.kind === 'change' ? payload.change.patch.title : undefined
}
