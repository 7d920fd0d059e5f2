import type { QueuedMutation } from '../../../web/src/data/mutations/mutation-entry.ts'
import { newerOf } from '../../../web/src/data/mutations/record-revision.ts'
import {
  RecordConflictError,
  type RecordEdit,
  sendRecordEdit,
} from '../../../web/src/data/mutations/send-record-edit.ts'
import type { SimulatedReply } from './simulated-server.ts'

/** A record other than a task, with two fields, such as a time entry. */
export interface SimulatedNote {
  id: string
  text: string
  color: string
  updated_at: string
}

export type NotePatch = Partial<Pick<SimulatedNote, 'text' | 'color'>>
export type NoteEdit = RecordEdit<SimulatedNote, NotePatch>

export const NOTE_IDS = ['note_1', 'note_2']

/** How a page sends changes of notes and reads them. */
interface NotePort {
  request: (revision: string) => Promise<SimulatedReply>
  refetch: () => Promise<SimulatedNote>
  /** Reads all notes anew. */
  readAll: () => void
}

/** The notes that a page shows, and the real code that sends their changes. */
export class SimulatedNotes {
  readonly all = new Map<string, SimulatedNote>()
  readonly #ownReplies = new Map<string, SimulatedNote>()
  readonly #onSeen: (value: string) => void

  constructor(onSeen: (value: string) => void) {
    this.#onSeen = onSeen
  }

  put(note: SimulatedNote): void {
    this.all.set(note.id, newerOf(this.all.get(note.id) ?? note, note))
    for (const value of [note.text, note.color]) this.#onSeen(value)
  }

  /** A note with the unsent changes of its page; the person is told of a refused one beside it. */
  view(
    id: string,
    entries: readonly QueuedMutation<NoteEdit | { kind: string }>[],
  ): SimulatedNote | undefined {
    const note = this.all.get(id)
    const patches = entries.flatMap(({ payload, refusal }) =>
      'base' in payload && payload.base.id === id && !refusal ? [payload.patch] : [],
    )
    return note && Object.assign({}, note, ...patches)
  }

  async send(edit: NoteEdit, { request, refetch, readAll }: NotePort): Promise<void> {
    const { id } = edit.base
    const ownReply = this.#ownReplies.get(id)
    const port = { request, refetch, ownReply, conflictMessage: 'conflict' }
    const { body, isReplayed } = await sendRecordEdit(port, edit)
    const note = toNote(body)
    this.#ownReplies.set(id, note)
    if (isReplayed) readAll()
    else this.put(note)
  }

  /** What a retry sends, once the person has been told of the other version. */
  rebase<E extends NoteEdit>(edit: E, error: unknown): E {
    if (!(error instanceof RecordConflictError)) return edit
    this.put(error.theirs)
    return { ...edit, base: error.theirs }
  }
}

function toNote(body: SimulatedReply['body']): SimulatedNote {
  if (typeof body === 'string' || !('color' in body)) throw new Error('The reply is no note')
  return body
}
