import { getPageSessionHeaders } from './page-session.ts'
import { NetworkError, SessionMismatchError } from './problem.ts'
import { parseReply, readChangeNumber, readErrorResponse } from './request-endpoint.ts'
import { noteOperations } from './request-operations.ts'
import { sessionPause } from './request-pause.ts'

/** Options of an upload. */
interface UploadOptions {
  /** Receives the share of bytes that was sent, 0 to 1. */
  onProgress: (part: number) => void
  signal: AbortSignal
  idempotencyKey: string
}

/** What the server has replied to an upload. */
interface UploadResult<T> {
  body: T
  /** Undefined if it repeats the reply to an earlier attempt. */
  changeNumber: number | undefined
}

/**
 * Sends a file as the body of a POST and returns the JSON reply. It uses XMLHttpRequest, because
 * `fetch` reports no upload progress. Rejects with an error of `problem.ts`, or with the reason of
 * the signal.
 */
export async function uploadFile<T>(
  url: string,
  file: File,
  options: UploadOptions,
): Promise<UploadResult<T>> {
  if (sessionPause.get()) throw new SessionMismatchError()
  const reply = await send(url, file, options)
  if (!reply.ok) throw await readErrorResponse(reply)
  const operation_id = reply.headers.get('x-operation-id')
  if (operation_id) noteOperations(options.idempotencyKey, [operation_id])
  return {
    body: parseReply(await reply.text()) as T,
    changeNumber: readChangeNumber(reply),
  }
}

function send(
  url: string,
  file: File,
  { onProgress, signal, idempotencyKey }: UploadOptions,
): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>()
  signal.throwIfAborted()
  const request = new XMLHttpRequest()
  request.open('POST', url)
  request.setRequestHeader('content-type', file.type || 'application/octet-stream')
  request.setRequestHeader('idempotency-key', idempotencyKey)
  for (const [name, value] of Object.entries(getPageSessionHeaders()))
    request.setRequestHeader(name, value)
  request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0)
  request.onload = () => {
    try {
      resolve(toResponse(request))
    } catch (error) {
      // A proxy has answered with a status that no reply with a body has.
      reject(new NetworkError(error))
    }
  }
  request.onerror = () => reject(new NetworkError())
  // Browsers also abort a request when its page is left.
  request.onabort = () => reject(signal.aborted ? signal.reason : new NetworkError())
  signal.addEventListener('abort', () => request.abort())
  request.send(file)
  return promise
}

function toResponse(request: XMLHttpRequest): Response {
  const headers = new Headers()
  for (const line of request.getAllResponseHeaders().trim().split('\r\n')) {
    const [name = '', ...value] = line.split(': ')
    headers.append(name, value.join(': '))
  }
  return new Response(request.responseText, { status: request.status, headers })
}
