import { ApiResponseError } from '../../lib/http/problem.ts'
import { findChangedFields, type RevisedRecord, toRevision } from './record-revision.ts'

/** A change of a record other than a task; stored in the browser as JSON. */
export interface RecordEdit<R extends RevisedRecord, P extends Partial<R>> {
  /** The record as the person had last seen it. */
  base: R
  patch: P
}

/** The server, as sending a change of a record sees it. */
export interface RecordEditPort<R, T> {
  /** Applies the change to this revision, or rejects with 412. */
  request: (revision: string) => Promise<T>
  refetch: () => Promise<R>
  /** What the last own change has made of the record, which is no conflict. */
  ownReply: R | undefined
  conflictMessage: string
}

/** Somebody else has set the same fields to other values since, which the person has to see first. */
export class RecordConflictError<R extends RevisedRecord> extends ApiResponseError {
  readonly theirs: R

  constructor(theirs: R, message: string, { code, request_id }: ApiResponseError) {
    super(412, { code, message, request_id, details: [] })
    this.theirs = theirs
  }
}

/**
 * Sends a change of a record; if others have changed other fields since, on top of theirs, and if
 * the same ones, it throws `RecordConflictError`.
 */
export async function sendRecordEdit<R extends RevisedRecord, P extends Partial<R>, T>(
  { request, refetch, ownReply, conflictMessage }: RecordEditPort<R, T>,
  { base, patch }: RecordEdit<R, P>,
): Promise<T> {
  const isNewer = ownReply !== undefined && ownReply.updated_at > base.updated_at
  const isOwnChange = isNewer && findChangedFields(base, patch, ownReply).length === 0
  let known = isOwnChange ? ownReply : base
  for (;;) {
    try {
      return await request(toRevision(known))
    } catch (error) {
      if (!(error instanceof ApiResponseError) || error.code !== 'version_mismatch') throw error
      const theirs = await refetch()
      // The same revision would be refused again and again.
      if (theirs.updated_at === known.updated_at) throw error
      if (findChangedFields(base, patch, theirs).length > 0)
        throw new RecordConflictError(theirs, conflictMessage, error)
      known = theirs
    }
  }
}
