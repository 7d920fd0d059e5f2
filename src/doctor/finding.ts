/** The result of one check. */
export interface Finding {
  /** The name of the check, such as `mail`. */
  check: string
  status: 'ok' | 'warning' | 'failed'
  message: string
  /** What to do about it. */
  remedy?: string
}

/** Creates the findings of one check. */
export const createFindings = (check: string) => ({
  ok: (message: string): Finding => ({ check, status: 'ok', message }),
  warning: (message: string, remedy: string): Finding => {
    return { check, status: 'warning', message, remedy }
  },
  failed: (message: string, remedy: string): Finding => {
    return { check, status: 'failed', message, remedy }
  },
})

/** A short message for an error. An `AggregateError` of several addresses has none, only a code. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause, code } = error as { cause?: unknown; code?: unknown }
  if (error.message === 'fetch failed' && cause !== undefined) return describeError(cause)
  return error.message || String(code ?? error.name)
}
