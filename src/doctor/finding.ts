/** What one look has found. */
export interface Finding {
  /** What was looked at, such as `mail`. */
  check: string
  status: 'ok' | 'warning' | 'failed'
  message: string
  /** What to do about it. */
  remedy?: string
}

/** Findings of one check. */
export function findings(check: string) {
  return {
    ok: (message: string): Finding => ({ check, status: 'ok', message }),
    warning: (message: string, remedy: string): Finding => ({
      ...{ check, status: 'warning', message, remedy },
    }),
    failed: (message: string, remedy: string): Finding => ({
      ...{ check, status: 'failed', message, remedy },
    }),
  }
}

/** An error in a few words. What failed at several addresses has no message of its own. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause, code } = error as { cause?: unknown; code?: unknown }
  if (error.message === 'fetch failed' && cause !== undefined) return wordsOf(cause)
  return error.message || String(code ?? error.name)
}
