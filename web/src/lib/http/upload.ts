import { getPageSessionHeaders, pauseIfSessionChanged } from './page-session.ts'
import {
  ApiResponseError,
  NetworkError,
  type ProblemBody,
  SessionMismatchError,
} from './problem.ts'
import { sessionPause } from './request-pause.ts'
import { markSessionEnded } from './session-ended.ts'

/** Options of an upload. */
export interface UploadOptions {
  /** Receives the share of bytes that was sent, 0 to 1. */
  onProgress: (part: number) => void
  signal: AbortSignal
  idempotencyKey: string
}

/**
 * Sends a file as the body of a POST and returns the JSON reply. It uses XMLHttpRequest, because
 * `fetch` reports no upload progress. Rejects with an error of `problem.ts`, or with the reason of
 * the signal.
 */
export function uploadFile<T>(
  url: string,
  file: File,
  { onProgress, signal, ...more }: UploadOptions,
) {
  return new Promise<{ body: T; operation_id: string | undefined }>((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    if (sessionPause.get()) return reject(new SessionMismatchError())
    const request = new XMLHttpRequest()
    request.open('POST', url)
    request.setRequestHeader('content-type', file.type || 'application/octet-stream')
    request.setRequestHeader('idempotency-key', more.idempotencyKey)
    for (const [name, value] of Object.entries(getPageSessionHeaders()))
      request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0)
    request.onload = () => {
      const operation_id = request.getResponseHeader('x-operation-id') ?? undefined
      const body = parseJson(request.responseText)
      if (request.status < 300) resolve({ body: body as T, operation_id })
      else reject(toError(request, body as { error?: ProblemBody } | undefined))
    }
    request.onerror = () => reject(new NetworkError())
    request.onabort = () => reject(signal.reason)
    signal.addEventListener('abort', () => request.abort())
    request.send(file)
  })
}

function toError({ status }: XMLHttpRequest, body: { error?: ProblemBody } | undefined): Error {
  if (!body?.error) return new NetworkError(`${status} without an error of ours`)
  if (pauseIfSessionChanged(body.error)) return new SessionMismatchError()
  if (body.error.code === 'authentication_required') markSessionEnded()
  return new ApiResponseError(status, body.error)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
