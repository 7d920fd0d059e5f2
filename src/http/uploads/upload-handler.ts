import type { FastifyRequest } from 'fastify'
import { withActionLimits } from '#auth/sign-in/attempt-limits.ts'
import { ApiError, serviceUnavailable, workspaceStorageFull } from '#core/api-error.ts'
import type { UploadRoute } from '#core/route.ts'
import { fileKey } from '#files/files.ts'
import { clientNetworkOf } from '#lib/client-network.ts'
import { newId } from '#lib/id.ts'
import type { AppContext } from '../app-context.ts'
import { readmitRequest } from '../pipeline/admission.ts'
import type { OperationReply } from '../pipeline/operation-reply.ts'
import { getActor, type RequestHandler, toOutgoingReply } from '../pipeline/request-handler.ts'
import { writeInTransaction } from '../pipeline/serve-write.ts'
import { sendReply } from '../reply/send.ts'
import { type ReceivedFile, receiveUpload } from './receive-upload.ts'
import { createUploadChecks } from './upload-checks.ts'
import { createUploadWriter, isLargeUpload } from './upload-quota.ts'

export function createUploadHandler(context: AppContext, route: UploadRoute): RequestHandler {
  const processUpload = createUploadProcessor(context, route)
  return async (request, reply) => {
    const actor = getActor(request)
    const { workspace_id, user_id } = actor
    const network = clientNetworkOf(request.ip)
    const release = context.uploadSlots.acquire({ network, user_id, workspace_id })
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
  const { storage, files, maxAttachmentBytes: maxBytes, log } = context
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
      maxBytes,
      declaredBytes: contentLengthOf(request),
      loadAvailableBytes: checks.checkEarly,
    })
    try {
      await receiveUpload(context, request.raw, received, draft, writer.write).catch(
        rethrowAfterChecks(checkAgain),
      )
      const sha256 = await draft.finish()
      if (draft.size > (await checkAgain())) throw workspaceStorageFull()
      const id = newId('att', storage.clock.now())
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
