import type { CallOptions, CallResult } from '../../lib/http/request-endpoint.ts'
import { mutationMessages } from '../../messages/app/mutations.ts'
import { outcomeMessages } from '../../messages/app/outcomes.ts'
import { showToast } from '../app/toasts.ts'
import { invalidate } from '../cache/query-client.ts'
import { recordOwnOperation } from '../live/own-operations.ts'
import type { MutationKind } from './mutation-entry.ts'
import { showNotDone, takePageCallbacks } from './record-mutations.ts'
import type { RevisedRecord } from './record-revision.ts'
import { RecordConflictError, sendRecordEdit } from './send-record-edit.ts'
import type { StoredRecordEdit } from './stored-mutation.ts'

/** How the records of a noun are changed. */
interface RecordEditor<R, P> {
  write: (sent: { params: { id: string }; body: P }, options: CallOptions) => Promise<CallResult<R>>
  /** Reads the record as it is now. */
  read: (base: R) => Promise<R>
  /** Shows the record as the server has it, in all caches that contain it. */
  put: (record: R) => void
  /** Refetches what else shows the record, after a change by anybody. */
  onChanged?: (record: R) => void
  /** Refetches more than the queries that show the record, whose reply is out of date. */
  onReplayed?: () => void
  /** A patch with both versions of a text, if they can be merged without the person. */
  merge?: (base: R, patch: P, theirs: R) => Promise<P | undefined>
  /** The key of the queries that show the record. */
  queryKeyOf: (record: R) => readonly (string | null)[]
}

/** A change of a record, which is merged with those of others. */
export function createRecordEditKind<
  K extends string,
  R extends RevisedRecord,
  P extends Partial<R>,
>(editor: RecordEditor<R, P>): MutationKind<StoredRecordEdit<K, R, P>> {
  const { write, read, put, onChanged, onReplayed, merge, queryKeyOf } = editor
  /** What the last own change has made of each record. */
  const ownReplies = new Map<string, R>()
  const showTheirs = (record: R) => {
    put(record)
    onChanged?.(record)
  }
  return {
    async send(edit, attempt) {
      const { key } = attempt
      const { base, patch } = edit
      const { id } = base
      const port = {
        request: (ifMatch: string) =>
          write({ params: { id }, body: patch }, { idempotencyKey: key, ifMatch }),
        refetch: () => read(base),
        ownReply: ownReplies.get(id),
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
      const { body, operation_id, isReplayed } = reply
      takePageCallbacks(key)
      ownReplies.set(id, body)
      recordOwnOperation(operation_id)
      // A repeated reply is older than what others may have made of the record since.
      if (isReplayed) {
        onReplayed?.()
        await invalidate({ queryKey: queryKeyOf(body) })
      } else put(body)
      onChanged?.(body)
      return []
    },
    revert({ label, text }, error, key) {
      const isConflict = error instanceof RecordConflictError
      // A later text replaces it.
      if (isConflict && text !== undefined) return
      if (isConflict) showTheirs(error.theirs)
      const callbacks = takePageCallbacks(key)
      if (callbacks) callbacks.onRejected(error)
      else showNotDone(label, error)
    },
    textOf: ({ text }) => text,
    rebase(edit, error) {
      if (!(error instanceof RecordConflictError)) return edit
      showTheirs(error.theirs)
      return { ...edit, base: error.theirs, mergeBase: edit.mergeBase ?? edit.base }
    },
  }
}
