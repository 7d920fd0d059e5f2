import type { DeliveryFailure } from '#wire/event-kinds.ts'

/** The result of one attempt. */
export interface AttemptResult {
  /** Null without a reply. */
  status: number | null
  /** The first 2 KiB as text; null without a reply. */
  body: string | null
  /** Null for a success. */
  error: DeliveryFailure | null
  /** Whole milliseconds. */
  duration_ms: number
  /** The header as it was sent. */
  retry_after: string | null
}

/**
 * The result of an attempt that is not made: it reveals nothing of the network, not even by timing.
 */
export const BLOCKED_RESULT: AttemptResult = {
  status: null,
  body: null,
  error: 'blocked_address',
  duration_ms: 0,
  retry_after: null,
}

/** The failure that a final status means: only 2xx is a success, and redirects are not followed. */
export function failureFromStatus(status: number): DeliveryFailure | null {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400 ? 'redirect' : 'http_status'
}

/** Bytes of a response body that are kept. */
export const MAX_KEPT_BODY_BYTES = 2_048

/**
 * Decodes the kept bytes as text that PostgreSQL accepts: U+FFFD replaces invalid UTF-8 and U+0000.
 * A character cut by the limit is left out.
 */
export function decodeBody(bytes: Buffer): string {
  const isCut = bytes.length === MAX_KEPT_BODY_BYTES
  const text = isCut ? new TextDecoder().decode(bytes, { stream: true }) : bytes.toString()
  return text.replaceAll('\0', '\ufffd')
}
