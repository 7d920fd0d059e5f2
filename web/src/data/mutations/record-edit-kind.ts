import { ApiResponseError } from '../../lib/http/problem.ts'
import type { CallOptions, CallResult } from '../../lib/http/request-endpoint.ts'
import { mutationMessages } from '../../messages/app/mutations.ts'
import { outcomeMessages } from '../../messages/app/outcomes.ts'
import { showToast } from '../app/toasts.ts'
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
  /** A patch with both versions of a text, if they can be merged without the person. */
  merge?: (base: R, patch: P, theirs: R) => Promise<P | undefined>
}

/** A change of a record, which is merged with those of others. */
export function createRecordEditKind<
  K extends string,
  R extends RevisedRecord,
  P extends Partial<R>,
>(editor: RecordEditor<R, P>): MutationKind<StoredRecordEdit<K, R, P>> {
  const { write, get, read, take, onChanged, merge } = editor
  return {
    async send(edit, attempt) {
      const { key, maybeSent } = attempt
      const { base, patch } = edit
      const port = {
        request: (ifMatch: string) =>
          write({ params: { id: base.id }, body: patch }, { idempotencyKey: key, ifMatch }),
        async refetch() {
          await read(base)
          return get(base) ?? throwGone()
        },
        // What an earlier attempt has changed may look like the change of somebody else by now: the
        // server repeats its reply.
        known: (maybeSent ? undefined : get(base)) ?? base,
        conflictMessage: outcomeMessages.changedMeanwhile,
      }
      let reply: CallResult<R>
      try {
        reply = await sendRecordEdit(port, edit)
      } catch (error) {
        if (!(error instanceof RecordConflictError)) throw error
        const { theirs } = error
        const merged = await merge?.(base, patch, theirs)
        if (!merged) throw error
        const both = { ...edit, base: theirs, patch: merged }
        await attempt.revise(both)
        const created = await this.send(both, attempt)
        showToast({ text: mutationMessages.mergedComment })
        return created
      }
      takePageCallbacks(key)
      recordOwnOperation(reply.operation_id)
      await take(reply)
      onChanged?.(reply.body)
      return []
    },
    revert({ label, text }, error, key) {
      // A later text replaces it.
      if (error instanceof RecordConflictError && text !== undefined) return
      const { onRejected } = takePageCallbacks(key)
      if (onRejected) onRejected(error)
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
