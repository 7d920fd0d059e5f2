import type { Attempt } from './attempt.ts'

/** Who is told how sending goes, for the operator's figures. */
export interface Observer {
  /** An attempt has ended. */
  attempted(attempt: Attempt): void
  /** A webhook was disabled because of its receiver. */
  disabled(reason: 'gone' | 'failures'): void
}
