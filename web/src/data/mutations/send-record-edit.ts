import { ApiResponseError } from '../../lib/http/problem.ts'
import { findChangedFields, type RevisedRecord, toRevision } from './record-revision.ts'

/** A change of a record other than a task; stored in the browser as JSON. */
export interface RecordEdit<R extends RevisedRecord, P extends Partial<R>> {
  /** The record as the person had last seen it. */
  base: R
  patch: P
}

/** The server, as sending a change of a record sees it. */
interface RecordEditPort<R, T> {
  /** Applies the change to this revision, or rejects with 412. */
  request: (revision: string) => Promise<T>
  refetch: () => Promise<R>
  /** The record as the server has it, as far as the page knows. */
  known: R
  conflictMessage: string
}

/** Somebody else has set the same fields to other values since, which the person has to see first. */
export class RecordConflictError<R extends RevisedRecord> extends ApiResponseError {
  readonly theirs: R

  constructor(theirs: R, message: string) {
    super(412, { code: 'version_mismatch', message, request_id: '', details: [] })
    this.theirs = theirs
  }
}

/**
 * Sends a change of a record; if others have changed other fields since, on top of theirs, and if
 * the same ones, it throws `RecordConflictError`.
 */
export async function sendRecordEdit<R extends RevisedRecord, P extends Partial<R>, T>(
  { request, refetch, known, conflictMessage }: RecordEditPort<R, T>,
  { base, patch }: RecordEdit<R, P>,
): Promise<T> {
  let theirs = known
  for (;;) {
    if (findChangedFields(base, patch, theirs).length > 0)
      throw new RecordConflictError(theirs, conflictMessage)
    try {
      return await request(toRevision(theirs))
    } catch (error) {
      if (!(error instanceof ApiResponseError) || error.code !== 'version_mismatch') throw error
      const { updated_at } = theirs
      theirs = await refetch()
      // The same revision would be refused again and again.
      if (theirs.updated_at === updated_at) throw error
    }
  }
}
