import { ApiResponseError } from '../../lib/http/problem.ts'
import type { CallOptions, CallResult } from '../../lib/http/request-endpoint.ts'
import { mutationMessages } from '../../messages/app/mutations.ts'
import { outcomeMessages } from '../../messages/app/outcomes.ts'
import { recordOwnOperation } from '../live/own-operations.ts'
import type { MutationKind } from './mutation-entry.ts'
import { showNotDone, takePageCallbacks } from './record-mutations.ts'
import type { RevisedRecord } from './record-revision.ts'
import { RecordConflictError, sendRecordEdit } from './send-record-edit.ts'
import type { StoredRecordEdit } from './stored-mutation.ts'

/** How the records of a noun are changed. */
interface RecordEditor<R, P> {
  write: (sent: { params: { id: string }; body: P }, options: CallOptions) => Promise<CallResult<R>>
  /** The server's record, as far as the page knows it. */
  get: (base: R) => R | undefined
  /** Reads the server's record, so that `get` returns it as it is now. */
  read: (base: R) => Promise<void>
  /** Takes the reply to a write; a repeated one is read again. */
  take: (reply: CallResult<R>) => Promise<void>
  /** Refetches what else shows the record. */
  onChanged?: (record: R) => void
}

/** A change of a record, which is merged with those of others. */
export function createRecordEditKind<
  K extends string,
  R extends RevisedRecord,
  P extends Partial<R>,
>(editor: RecordEditor<R, P>): MutationKind<StoredRecordEdit<K, R, P>> {
  const { write, get, read, take, onChanged } = editor
  return {
    async send(edit, { key, maybeSent }) {
      const { base, patch } = edit
      const reply = await sendRecordEdit(
        {
          request: (ifMatch) =>
            write({ params: { id: base.id }, body: patch }, { idempotencyKey: key, ifMatch }),
          async refetch() {
            await read(base)
            return get(base) ?? throwGone()
          },
          // What an earlier attempt has changed may look like the change of somebody else by now: the
          // server repeats its reply.
          known: (maybeSent ? undefined : get(base)) ?? base,
          conflictMessage: outcomeMessages.changedMeanwhile,
        },
        edit,
      )
      takePageCallbacks(key)
      recordOwnOperation(reply.operation_id)
      await take(reply)
      onChanged?.(reply.body)
      return []
    },
    revert({ label, text }, error, key) {
      // A later text replaces it.
      if (error instanceof RecordConflictError && text !== undefined) return
      const callbacks = takePageCallbacks(key)
      if (callbacks) callbacks.onRejected(error)
      else showNotDone(label, error)
    },
    textOf: ({ text }) => text,
    rebase: (edit, error) =>
      error instanceof RecordConflictError
        ? { ...edit, base: error.theirs, mergeBase: edit.mergeBase ?? edit.base }
        : edit,
  }
}

/** Somebody has deleted what an edit is about. */
export function throwGone(): never {
  const error = { code: 'not_found', message: mutationMessages.goneMeanwhile }
  throw new ApiResponseError(404, { ...error, details: [], request_id: '' })
}
