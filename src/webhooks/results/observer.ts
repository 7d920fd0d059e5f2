import type { DeliveryAttempt } from '../sending/attempt.ts'

/** Receives the outcome of deliveries, for the metrics. */
export interface DeliveryObserver {
  /** Called when an attempt has ended. */
  onAttempt(attempt: DeliveryAttempt): void
  /** Called when a webhook was disabled because of its receiver. */
  onDisabled(reason: 'gone' | 'failures'): void
}
