import { assertSessionActive } from '#auth/sessions/session-confirmation.ts'
import { withActionLimits } from '#auth/sign-in/attempt-limits.ts'
import { activeSupervision } from '#auth/supervision.ts'
import { ApiError, assertNoFieldErrors } from '#core/api-error.ts'
import type { RequestInput, UploadRoute, WriteRoute } from '#core/route.ts'
import type { WriteTx } from '#core/transaction.ts'
import { DRY_RUN_SECRET } from '#wire/endpoint.ts'
import { createSchemaParser, type SchemaParseResult } from '#wire/schema-parser.ts'
import type { AppContext } from '../app-context.ts'
import { assertIfMatch, parseIfMatch } from '../reply/conditional-requests.ts'
import {
  beginDatabaseTime,
  CHANGE_NUMBER_HEADER,
  endDatabaseTime,
  sendReply,
} from '../reply/send.ts'
import { readJsonBody } from '../request/json-body.ts'
import { createQueryParser, getQueryString } from '../request/query-parameters.ts'
import { countRawHeaders, readmitRequest } from './admission.ts'
import {
  fingerprintRequest,
  type IdempotentRequest,
  parseIdempotencyKey,
  withIdempotency,
} from './idempotency.ts'
import {
  getActor,
  type OperationReply,
  type RequestHandler,
  toOperationReply,
  toOutgoingReply,
} from './request-handler.ts'
import { superviseWrite, type WriteOutcome } from './supervision.ts'

/** Serves a write whose body is JSON, or that has none. */
export function createWriteHandler(context: AppContext, route: WriteRoute): RequestHandler {
  const { endpoint } = route
  const parseQuery = createQueryParser(endpoint)
  const validate = endpoint.body ? createSchemaParser(endpoint.body) : undefined
  const secret = endpoint.hasSecretReply === true
  const isSessionEndpoint = endpoint.scope === 'session'
  return async (request, reply) => {
    const { headers, method, raw } = request
    const target = raw.url ?? ''
    const body = endpoint.body ? await readJsonBody(raw, endpoint) : undefined
    const actor = endpoint.body
      ? await readmitRequest(context, endpoint, request)
      : getActor(request)
    const query = parseQuery(getQueryString(target))
    const allowed = parseIfMatch(headers['if-match'], endpoint.conditions)
    const key =
      isSessionEndpoint && !endpoint.takesIdempotencyKey
        ? undefined
        : parseIdempotencyKey(headers['idempotency-key'], countRawHeaders(raw, 'idempotency-key'))
    const { dry_run = false } = query
    const idempotency =
      key === undefined || dry_run
        ? undefined
        : { key, secret, fingerprint: fingerprintRequest(method, target, body ?? null) }
    let number: number | undefined
    const work = async (tx: WriteTx) => {
      beginDatabaseTime(request)
      const result = await writeInTransaction(tx, context, route, {
        input: { params: request.params, query, body },
        idempotency,
        allowed,
        validate: () => validate?.(body) ?? { value: undefined, errors: [] },
        hidesSecret: dry_run && secret,
        isDryRun: dry_run,
      })
      // A repeated reply tells how the record was then.
      const isLabelled = actor.type === 'user' && !result.isReplayed
      number = isLabelled ? await tx.changeNumber() : undefined
      return result
    }

    if (!dry_run) {
      const sender = { actor, address: request.ip }
      const result = await withActionLimits(context.storage, endpoint, sender, () =>
        context.storage.write(actor, work),
      )
      endDatabaseTime(request)
      if (isSessionEndpoint) context.authenticator.invalidate()
      if (number !== undefined) request.replyHeaders[CHANGE_NUMBER_HEADER] = String(number)
      return sendReply(request, reply, toOutgoingReply(endpoint, result))
    }
    const { status, body: preview } = await context.storage.dryRun(actor, work)
    endDatabaseTime(request)
    const result = { status, body: preview, location: null, etag: null, operation_id: null }
    const { headers: replyHeaders, ...rest } = toOutgoingReply(endpoint, result)
    return sendReply(request, reply, { ...rest, headers: { ...replyHeaders, 'x-dry-run': 'true' } })
  }
}

/** What a write needs within its transaction. */
interface WriteRequest {
  input: RequestInput
  idempotency: IdempotentRequest | undefined
  /** The revisions that If-Match allows. */
  allowed?: string[] | '*' | undefined
  /** Validates the body; its errors must not precede those of the record. */
  validate: () => SchemaParseResult
  /** Whether `secret` is null in the reply, because a dry run creates none. */
  hidesSecret?: boolean
  /** Whether it is rolled back, so that nobody has to be asked. */
  isDryRun?: boolean
}

/** The steps of a write within its transaction, in the prescribed order (docs/spec/api.md#order-of-checks, steps 9 to 14). */
export const writeInTransaction = (
  tx: WriteTx,
  { baseUrl }: Pick<AppContext, 'baseUrl'>,
  route: WriteRoute | UploadRoute,
  write: WriteRequest,
): Promise<OperationReply> =>
  withIdempotency(tx, write.idempotency, async () => {
    const run = () => runWrite(tx, baseUrl, route, write)
    const supervision = write.isDryRun ? undefined : activeSupervision(tx)
    if (!supervision) return (await run()).reply
    const { params, query, body } = write.input
    const { allowed = null } = write
    return superviseWrite(tx, {
      endpoint: route.endpoint,
      supervision,
      request: { params, query, body, allowed, scopes: [...tx.actor.scopes] },
      baseUrl,
      run,
      assertCanWait: () => {
        if (route.kind === 'upload') throw uploadCannotWait()
      },
    })
  })

/** The steps after the idempotency key. */
export async function runWrite(
  tx: WriteTx,
  baseUrl: string,
  { endpoint, load }: WriteRoute | UploadRoute,
  { input, allowed, validate, hidesSecret = false }: Omit<WriteRequest, 'idempotency'>,
): Promise<WriteOutcome> {
  if (endpoint.grantsLastingAccess === true && tx.actor.type === 'user')
    await assertSessionActive(tx, tx.actor)
  const { revision, operate } = await load(tx, input)
  if (revision !== undefined) assertIfMatch(allowed, revision)
  const { value, errors } = validate()
  assertNoFieldErrors(errors)
  const result = await operate(value)
  const output = hidesSecret ? { ...Object(result), secret: DRY_RUN_SECRET } : result
  const operation_id = tx.hasChanges ? tx.operation_id : null
  return { reply: toOperationReply(endpoint, output, baseUrl, operation_id), revision }
}

const uploadCannotWait = () =>
  new ApiError(
    403,
    'approval_unavailable',
    'A person would have to allow this upload first, and uploads cannot wait for that.',
  )
