import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { DeliveryBacklog } from '#db/deliveries/delivery-queue.ts'
import { shareLoad } from '#lib/maybe-promise.ts'
import type { DeliveryAttempt } from './attempts.ts'

/** Receives the outcome of deliveries, for the metrics. */
export interface DeliveryObserver {
  /** Called when an attempt has ended. */
  onAttempt(attempt: DeliveryAttempt): void
  /** Called when a webhook was disabled because of its receiver. */
  onDisabled(reason: 'gone' | 'failures'): void
}

const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const DELAY_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 1_800, 7_200]

/** Registers the metrics of deliveries; none is labelled by workspace, webhook or address. */
export function createDeliveryMetrics(
  registry: Registry,
  loadBacklog: () => Promise<DeliveryBacklog>,
): DeliveryObserver {
  const registers = [registry]
  const attempts = new Counter({
    name: 'docket_webhook_attempts_total',
    help: 'Attempts at deliveries by how they ended: succeeded, or why they failed',
    labelNames: ['outcome'],
    registers,
  })
  const durations = new Histogram({
    name: 'docket_webhook_attempt_duration_seconds',
    help: 'How long attempts took',
    buckets: DURATION_BUCKETS,
    registers,
  })
  const waits = new Histogram({
    name: 'docket_webhook_first_attempt_delay_seconds',
    help: 'From the queuing of a delivery to its first attempt',
    buckets: DELAY_BUCKETS,
    registers,
  })
  const disabled = new Counter({
    name: 'docket_webhooks_disabled_total',
    help: 'Webhooks disabled because of their receivers, by reason',
    labelNames: ['reason'],
    registers,
  })
  const loadOnce = shareLoad(loadBacklog)
  const gauge = (name: string, help: string, of: keyof DeliveryBacklog) =>
    new Gauge({
      name,
      help,
      registers,
      // Each of several processes on one port reports the backlog of the whole database.
      aggregator: 'max',
      async collect() {
        this.set((await loadOnce())?.[of] ?? Number.NaN)
      },
    })
  gauge(
    'docket_webhook_deliveries_pending',
    'Deliveries that wait for an attempt, the first or a further one',
    'deliveries',
  )
  gauge(
    'docket_webhook_overdue_seconds',
    'For how long the most overdue delivery could have been attempted',
    'overdueSeconds',
  )
  gauge(
    'docket_webhook_events_waiting',
    'Events committed for active webhooks that are not among the deliveries yet',
    'events',
  )

  return {
    onAttempt({ error, duration_ms, number, startedAt, delivery }: DeliveryAttempt) {
      attempts.inc({ outcome: error ?? 'succeeded' })
      durations.observe(duration_ms / 1000)
      if (number === 1)
        waits.observe(Math.max(0, startedAt - Date.parse(delivery.created_at)) / 1000)
    },
    onDisabled: (reason) => disabled.inc({ reason }),
  }
}
