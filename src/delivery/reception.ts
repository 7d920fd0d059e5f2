import type { Failure } from '#wire/events.ts'

/** What became of one attempt. */
export interface Reception {
  /** Null without a reply. */
  status: number | null
  /** The first 2 KiB as text; null without a reply. */
  body: string | null
  /** Null for a success. */
  error: Failure | null
  /** Whole milliseconds. */
  duration_ms: number
  /** The header as it was sent. */
  retry_after: string | null
}

/** What an attempt gives that is not made: nothing of what is there, not by its time either. */
export const BLOCKED: Reception = {
  status: null,
  body: null,
  error: 'blocked_address',
  duration_ms: 0,
  retry_after: null,
}

/** What a final status means: only 2xx is a success, and nobody is followed to another address. */
export function failureOf(status: number): Failure | null {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400 ? 'redirect' : 'http_status'
}

/** As many bytes of a reply are kept. */
export const KEPT = 2_048

/**
 * The kept bytes as text that PostgreSQL takes: U+FFFD stands for what is no UTF-8, and for U+0000. A
 * character that the limit cuts is left out.
 */
export function textOf(bytes: Buffer): string {
  const cut = bytes.length === KEPT
  const text = cut ? new TextDecoder().decode(bytes, { stream: true }) : bytes.toString()
  return text.replaceAll('\0', '\ufffd')
}
