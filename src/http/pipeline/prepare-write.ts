import { assertSessionActive } from '#auth/sessions/session-confirmation.ts'
import { assertNoFieldErrors } from '#core/api-error.ts'
import type { RequestInput, UploadRoute, WriteRoute } from '#core/route.ts'
import type { WriteTx } from '#core/transaction.ts'
import type { SchemaParseResult } from '#wire/schema-parser.ts'
import type { AppContext } from '../app-context.ts'
import { assertIfMatch } from '../reply/conditional-requests.ts'
import { type IdempotentRequest, withIdempotency } from './idempotency.ts'
import { type OperationReply, toOperationReply } from './operation-reply.ts'

/** The input of a write's transaction. */
interface WriteRequest {
  idempotency: IdempotentRequest | undefined
  addressed: RequestInput
  /** The revisions that If-Match allows. */
  allowed?: string[] | '*' | undefined
  /** Validates the body; called only after the checks that come before it. */
  readBody: () => SchemaParseResult
  /** Whether `secret` is null in the reply, because a dry run creates none. */
  hidesSecret?: boolean
}

/**
 * Prepares the work that a write does within its transaction, in the prescribed order
 * (docs/spec/api.md#order-of-checks, steps 9 to 14).
 */
export const prepareWrite =
  (
    context: Pick<AppContext, 'baseUrl'>,
    { endpoint, run }: WriteRoute | UploadRoute,
    write: WriteRequest,
  ) =>
  (tx: WriteTx): Promise<OperationReply> =>
    withIdempotency(tx, write.idempotency, async () => {
      const { addressed, allowed, hidesSecret } = write
      const { actor } = tx
      if (endpoint.grantsLastingAccess === true && actor.type === 'user')
        await assertSessionActive(tx, actor)
      const result = await run(tx, addressed, (revision) => {
        if (revision !== undefined) assertIfMatch(allowed, revision)
        const { value, errors } = write.readBody()
        assertNoFieldErrors(errors)
        return value
      })
      const output = hidesSecret ? { ...Object(result), secret: null } : result
      return toOperationReply(
        endpoint,
        output,
        context.baseUrl,
        tx.hasChanges ? tx.operation_id : null,
      )
    })
