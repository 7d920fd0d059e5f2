import type { ErrorCode } from '#wire/error-code.ts'

/** The meaning of an `error.code` and what a client should do. Backticks mark code. */
export interface ErrorCodeEntry {
  readonly status: number
  readonly type: string
  readonly code: ErrorCode
  readonly meaning: string
  readonly remedy: string
}

export type ErrorCodeTuple = readonly [code: ErrorCode, meaning: string, remedy: string]

export const withStatus = (
  status: number,
  type: string,
  ...entries: ErrorCodeTuple[]
): ErrorCodeEntry[] =>
  entries.map(([code, meaning, remedy]) => ({ status, type, code, meaning, remedy }))
