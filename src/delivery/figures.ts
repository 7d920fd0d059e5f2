import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Storage } from '#core/tx.ts'
import type { Attempt } from './attempt.ts'
import { type Backlog, backlogOf } from './backlog.ts'
import type { Observer } from './observer.ts'

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const WAITED = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 1_800, 7_200]

/** The operator's figures of deliveries: never by workspace, webhook or address. */
export function figures(registry: Registry, storage: Storage): Observer {
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
    buckets: SECONDS,
    registers,
  })
  const waits = new Histogram({
    name: 'docket_webhook_first_attempt_delay_seconds',
    help: 'From the queuing of a delivery to its first attempt',
    buckets: WAITED,
    registers,
  })
  const disabled = new Counter({
    name: 'docket_webhooks_disabled_total',
    help: 'Webhooks disabled because of their receivers, by reason',
    labelNames: ['reason'],
    registers,
  })
  figuresOfBacklog(registry, storage)

  return {
    attempted({ error, duration_ms, number, started, delivery }: Attempt) {
      attempts.inc({ outcome: error ?? 'succeeded' })
      durations.observe(duration_ms / 1000)
      if (number === 1) waits.observe(Math.max(0, started - Date.parse(delivery.created_at)) / 1000)
    },
    disabled: (reason) => disabled.inc({ reason }),
  }
}

/** While the database does not answer the other figures are wanted all the more, and 0 would be a lie. */
const UNKNOWN: Backlog = { deliveries: Number.NaN, events: Number.NaN, overdueSeconds: Number.NaN }

/** Each waits for the same answer: none is that of the reading before. */
function figuresOfBacklog(registry: Registry, storage: Storage): void {
  let asked: Promise<Backlog> | undefined
  const backlog = () => {
    asked ??= backlogOf(storage)
      .catch(() => UNKNOWN)
      .finally(() => {
        asked = undefined
      })
    return asked
  }
  const gauge = (name: string, help: string, of: keyof Backlog) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      // Of processes that share a port each tells of the whole database.
      aggregator: 'max',
      async collect() {
        this.set((await backlog())[of])
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
}
