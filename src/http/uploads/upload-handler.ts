import type { FastifyRequest } from 'fastify'
import { withActionLimits } from '#auth/sign-in/attempt-limits.ts'
import {
  ApiError,
  assertNoFieldErrors,
  serviceUnavailable,
  workspaceStorageFull,
} from '#core/api-error.ts'
import type { RequestInput, UploadRoute } from '#core/route.ts'
import { fileKey } from '#files/files.ts'
import { clientNetworkOf } from '#lib/client-network.ts'
import { newId } from '#lib/id.ts'
import { fieldError } from '#wire/field-error.ts'
import { createSchemaParser, type SchemaParseResult } from '#wire/schema-parser.ts'
import type { AppContext } from '../app-context.ts'
import { countRawHeaders, readmitRequest } from '../pipeline/admission.ts'
import {
  fingerprintRequest,
  getIdEnding,
  hasStoredReply,
  parseIdempotencyKey,
} from '../pipeline/idempotency.ts'
import {
  getActor,
  type OperationReply,
  type RequestHandler,
  toOutgoingReply,
} from '../pipeline/request-handler.ts'
import { writeInTransaction } from '../pipeline/serve-write.ts'
import { sendReply } from '../reply/send.ts'
import { createQueryParser, getQueryString } from '../request/query-parameters.ts'
import { type ReceivedFile, receiveUpload } from './receive-upload.ts'
import { createUploadWriter, isLargeUpload } from './upload-quota.ts'

/** More parallel uploads would only slow each other down on the disk; clients retry. */
export const MAX_CONCURRENT_UPLOADS = 64

/** Releases a slot; must be called exactly once. */
export type ReleaseSlot = () => void

/** Who holds a slot: the network of the client, the person and the workspace. */
interface SlotOwners {
  network: string
  user_id: string
  workspace_id: string
}

export interface UploadSlots {
  /** Undefined if there is no slot for these owners. */
  acquire(owners: SlotOwners): ReleaseSlot | undefined
}

/**
 * Creates `maxSlots` slots for uploads. A network can hold as many as are left for other networks:
 * alone it gets half of them, beside another one a third. A person and a workspace can hold as many
 * as that leaves for others in the same network: alone a third of all. So a few that hold all they
 * can get still leave slots to the rest, and creating workspaces brings no more of them.
 */
export function createUploadSlots(maxSlots: number): UploadSlots {
  let total = 0
  const slots = new Map<string, number>()
  const heldBy = (owner: string) => slots.get(owner) ?? 0
  const add = (owner: string, count: number) => {
    const held = heldBy(owner) + count
    if (held > 0) slots.set(owner, held)
    else slots.delete(owner)
  }
  return {
    acquire({ network, user_id, workspace_id }) {
      const left = maxSlots - total - heldBy(network)
      if (Math.max(heldBy(user_id), heldBy(workspace_id)) >= left) return undefined
      const owners = [network, user_id, workspace_id]
      total += 1
      for (const owner of owners) add(owner, 1)
      return () => {
        total -= 1
        for (const owner of owners) add(owner, -1)
      }
    },
  }
}

interface CompletedUpload {
  id: string
  size_bytes: number
  sha256: string
}

/** Placeholder that validates, for the checks that run before the file is complete. */
const PLACEHOLDER_FILE: CompletedUpload = {
  id: `att_${'0'.repeat(26)}`,
  size_bytes: 1,
  sha256: '0'.repeat(64),
}

/**
 * Creates the checks of an upload, from query and headers to fields. They run while its bytes are
 * still arriving (`checkEarly`) and again in the write (`createWrite`), both times in the order of
 * every request (docs/spec/api.md#order-of-checks).
 */
function createUploadChecks(context: AppContext, route: UploadRoute) {
  const { endpoint } = route
  const parseQuery = createQueryParser(endpoint)
  const readFields = createSchemaParser(endpoint.body ?? {})

  return (request: FastifyRequest, received: ReceivedFile) => {
    const target = request.raw.url ?? ''

    /** Parses query and headers (400). If the body is the file, the query holds its name. */
    function parseRequest(): { input: RequestInput; key: string | undefined } {
      const query = parseQuery(getQueryString(target))
      if (received.isForm && query.filename !== undefined) throw filenameInForm()
      if (!received.isForm) received.filename = query.filename
      const key = parseIdempotencyKey(
        request.headers['idempotency-key'],
        countRawHeaders(request.raw, 'idempotency-key'),
      )
      const { params } = request
      return { input: { params, query, body: undefined }, key }
    }

    function readFile(file: CompletedUpload): SchemaParseResult {
      const { filename, contentType: content_type } = received
      const reading = readFields({
        ...file,
        content_type,
        ...(filename !== undefined && { filename }),
      })
      // Without a file, the errors of its fields would only be noise.
      const isMissing = received.errors.some(
        ({ field, code }) => field === 'file' && code === 'required',
      )
      const fieldErrors = isMissing ? [] : reading.errors
      return { value: reading.value, errors: [...received.errors, ...fieldErrors] }
    }

    return {
      /** Runs all checks that need no bytes, and returns how many bytes the workspace has left. */
      async checkEarly(): Promise<number> {
        const { input, key } = parseRequest()
        return context.storage.read(getActor(request), async (tx) => {
          // A stored reply is replayed even if the record has changed or gone since.
          if (key !== undefined && (await hasStoredReply(tx, key))) return Number.POSITIVE_INFINITY
          const record = await route.loadWithoutWriting(tx, input)
          assertNoFieldErrors(readFile(PLACEHOLDER_FILE).errors)
          return record.quota()
        })
      },
      /** Creates the id, which the file has before the row is written. */
      createId(): string {
        const { key } = parseRequest()
        const ending = key && getIdEnding(getActor(request), key)
        return newId('att', context.storage.clock.now(), ending)
      },
      /** Creates the input of the write, once the file is complete. */
      createWrite(file: CompletedUpload) {
        const { input, key } = parseRequest()
        const { filename, contentType } = received
        const content = { filename: filename ?? null, contentType, sha256: file.sha256 }
        const fingerprint = fingerprintRequest(request.method, target, content)
        const idempotency = key === undefined ? undefined : { key, secret: false, fingerprint }
        return { idempotency, input, validate: () => readFile(file) }
      },
    }
  }
}

function filenameInForm(): ApiError {
  const why = 'cannot be combined with a form; send the name in its part `file`'
  const detail = fieldError('filename', 'conflicting_fields', why, 'query')
  return new ApiError(400, 'invalid_parameter', detail.message, { details: [detail] })
}

export function createUploadHandler(context: AppContext, route: UploadRoute): RequestHandler {
  const processUpload = createUploadProcessor(context, route)
  return async (request, reply) => {
    const actor = getActor(request)
    const { workspace_id, user_id } = actor
    const network = clientNetworkOf(request.ip)
    const release = context.transfers.uploadSlots.acquire({ network, user_id, workspace_id })
    if (!release)
      throw serviceUnavailable('Too many files are being uploaded. Try again in a few seconds.')
    try {
      const sender = { actor, address: request.ip }
      const result = await withActionLimits(context.storage, route.endpoint, sender, () =>
        processUpload(request),
      )
      return await sendReply(request, reply, toOutgoingReply(route.endpoint, result))
    } catch (error) {
      const { readableEnded, readableDidRead } = request.raw
      // Does not wait for the rest of a large file that is refused. Node drops the rest of a small one
      // only if nothing has read from it: after that, the next request would never be read.
      if (!readableEnded && (readableDidRead || isLargeUpload(contentLengthOf(request)))) {
        request.replyHeaders.connection = 'close'
      }
      throw error
    } finally {
      release()
    }
  }
}

/**
 * Writes the bytes into a draft as they arrive. When the draft is complete and passes all checks,
 * it is moved to its final place, and only then is its row written. So a crash can leave a file
 * without a row, which a job deletes later, but never a row without its file.
 */
function createUploadProcessor(context: AppContext, route: UploadRoute) {
  const { storage, files, transfers, log } = context
  const createChecks = createUploadChecks(context, route)

  return async (request: FastifyRequest): Promise<OperationReply> => {
    const { workspace_id } = getActor(request)
    const received: ReceivedFile = {
      isForm: false,
      filename: undefined,
      contentType: '',
      errors: [],
    }
    const checks = createChecks(request, received)
    const readmit = () => readmitRequest(context, route.endpoint, request)
    const checkAgain = async () => {
      await readmit()
      return checks.checkEarly()
    }
    const draft = await files.draft()
    const writer = createUploadWriter(draft, {
      workspace_id,
      maxBytes: transfers.maxAttachmentBytes,
      declaredBytes: contentLengthOf(request),
      loadAvailableBytes: checks.checkEarly,
    })
    try {
      await receiveUpload(context, request.raw, received, draft, writer.write).catch(
        rethrowAfterChecks(checkAgain),
      )
      const sha256 = await draft.finish()
      if (draft.size > (await checkAgain())) throw workspaceStorageFull()
      const id = checks.createId()
      const key = fileKey(workspace_id, id)
      const write = checks.createWrite({ id, size_bytes: draft.size, sha256 })
      // A bucket may take minutes to store the file.
      const writeRow = async () =>
        storage.write(await readmit(), (tx) => writeInTransaction(tx, context, route, write))
      if (received.errors.length === 0) await files.put(key, draft)
      // From here on the row counts towards the quota, and the file must not count twice.
      writer.end()
      const result = await writeRow().catch(async (error: unknown) => {
        // After a server error the row may have been committed all the same: keep the file.
        if (error instanceof ApiError && error.status < 500) await removeFile(key)
        throw error
      })
      if (result.isReplayed) await removeFile(key)
      return result
    } finally {
      writer.end()
      await draft.discard()
    }
  }

  /** A file that cannot be removed now is deleted later by a job. */
  function removeFile(key: string): Promise<void> {
    return files
      .remove(key)
      .catch((err) =>
        log.warn({ err, key }, 'Failed to remove a file; a background job will remove it'),
      )
  }
}

/** Reports an invalid form only after the 404 and 403 of its record (docs/spec/api.md#order-of-checks). */
function rethrowAfterChecks(check: () => Promise<unknown>) {
  return async (error: unknown): Promise<never> => {
    const isInvalidForm = error instanceof ApiError && error.status === 422
    if (isInvalidForm) {
      await check().catch((other: unknown) => {
        if (!(other instanceof ApiError) || other.status !== 422) throw other
      })
    }
    throw error
  }
}

/** Returns the declared length of a body; undefined if the request declares none. */
function contentLengthOf({ headers }: FastifyRequest): number | undefined {
  const length = headers['content-length']
  return length === undefined ? undefined : Number(length)
}
