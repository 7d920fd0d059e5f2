import type { DueWebhook, ReadyDelivery } from '../dispatch/store.ts'

/** A URL that cannot be parsed is refused when it is sent, and must not stop the others. */
const hostOf = ({ url }: DueWebhook): string => URL.parse(url)?.host ?? ''

/** Characters of bodies that are read ahead for a webhook; a single longer body is allowed. */
const MAX_READ_CHARS = 262_144
const MAX_READ_AHEAD = 100
const MIN_READ_AHEAD = 4

/** The deliveries of one webhook, read ahead so that each does not need a query of its own. */
export class WebhookQueue {
  target: DueWebhook
  host: string
  /** Read, and not attempted yet. */
  ready: ReadyDelivery[] = []
  /** How many are read at a time: fewer where their bodies are long. */
  readAhead = 16
  /** The last read left nothing in the database. */
  isExhausted = false

  constructor(target: DueWebhook) {
    this.target = target
    this.host = hostOf(target)
  }

  /** Keeps the deliveries that were read, and uses the current state of the webhook. */
  refresh(target: DueWebhook): this {
    this.target = target
    this.host = hostOf(target)
    this.isExhausted = false
    return this
  }

  /** Takes over a read: tests and redeliveries first, then live events and replays in turn. */
  fill(deliveries: readonly ReadyDelivery[], limit: number): void {
    const inQueue = (queue: ReadyDelivery['queue']) =>
      deliveries.filter((delivery) => delivery.queue === queue)
    const [direct, live, replay] = [inQueue(0), inQueue(1), inQueue(2)]
    const longer = Math.max(live.length, replay.length)
    const mixed = Array.from({ length: longer }, (_, at) => [live[at], replay[at]]).flat()
    const ordered = [...direct, ...mixed].filter((delivery) => delivery !== undefined)
    let length = 0
    this.ready = ordered.filter(({ body }, at) => {
      length += body?.length ?? 0
      return at < limit && (at === 0 || length <= MAX_READ_CHARS)
    })
    this.isExhausted = deliveries.length < limit && this.ready.length === deliveries.length
    const fit = Math.floor((MAX_READ_CHARS * deliveries.length) / (length || 1))
    this.readAhead = Math.max(MIN_READ_AHEAD, Math.min(fit, MAX_READ_AHEAD))
  }
}
