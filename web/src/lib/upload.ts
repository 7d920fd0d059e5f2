import { readsHeld } from './pause.ts'
import { Problem, type Refusal, Unreachable, Withheld } from './problem.ts'
import { signedOut } from './signed-out.ts'

/** How an upload is sent, and who hears of it. */
export interface Uploading {
  /** How much has left, 0 to 1. */
  onProgress: (part: number) => void
  signal: AbortSignal
  idempotencyKey: string
}

/**
 * Sends a file as the body of a POST and gives what came back, read as JSON. `fetch` tells nothing of what has left
 * already, so this is an XMLHttpRequest. Throws Problem, Unreachable, or the reason of the signal.
 */
export function upload<T>(url: string, file: File, { onProgress, signal, ...more }: Uploading) {
  return new Promise<{ body: T; operation_id: string | undefined }>((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    if (readsHeld.get()) return reject(new Withheld())
    const request = new XMLHttpRequest()
    request.open('POST', url)
    request.setRequestHeader('content-type', file.type || 'application/octet-stream')
    request.setRequestHeader('idempotency-key', more.idempotencyKey)
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0)
    request.onload = () => {
      const operation_id = request.getResponseHeader('x-operation-id') ?? undefined
      const body = parsed(request.responseText)
      if (request.status < 300) resolve({ body: body as T, operation_id })
      else reject(refusal(request, body as { error?: Refusal } | undefined))
    }
    request.onerror = () => reject(new Unreachable())
    request.onabort = () => reject(signal.reason)
    signal.addEventListener('abort', () => request.abort())
    request.send(file)
  })
}

function refusal({ status }: XMLHttpRequest, body: { error?: Refusal } | undefined): Error {
  if (!body?.error) return new Unreachable(`${status} without an error of ours`)
  if (body.error.code === 'authentication_required') signedOut()
  return new Problem(status, body.error)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
