import type { Ready, Target } from './store.ts'

/** What cannot be parsed is refused when it is sent, and must not stop the others. */
const hostOf = ({ url }: Target): string => URL.parse(url)?.host ?? ''

/** Characters of bodies that are held of a webhook beside those under way, or one body. */
const MOST_LENGTH = 262_144
const MOST_AHEAD = 100
const LEAST_AHEAD = 4

/** Deliveries of one webhook that are read ahead, so that not each is asked for by itself. */
export class Line {
  target: Target
  host: string
  /** Read, and not begun. */
  ready: Ready[] = []
  /** How many are read together: fewer where they are long. */
  ahead = 16
  /** There is nothing more to read, as far as is known. */
  exhausted = false

  constructor(target: Target) {
    this.target = target
    this.host = hostOf(target)
  }

  /** Goes on with what is ready, by the webhook as it is now. */
  renew(target: Target): this {
    this.target = target
    this.host = hostOf(target)
    this.exhausted = false
    return this
  }

  /** Takes what was read: tests and redeliveries first; events as they come and replays take turns. */
  fill(found: readonly Ready[], limit: number): void {
    const of = (queue: Ready['queue']) => found.filter((one) => one.queue === queue)
    const [direct, live, replay] = [of(0), of(1), of(2)]
    const longer = Math.max(live.length, replay.length)
    const mixed = Array.from({ length: longer }, (_, at) => [live[at], replay[at]]).flat()
    const inTurn = [...direct, ...mixed].filter((one) => one !== undefined)
    let length = 0
    this.ready = inTurn.filter(({ body }, at) => {
      length += body?.length ?? 0
      return at < limit && (at === 0 || length <= MOST_LENGTH)
    })
    this.exhausted = found.length < limit && this.ready.length === found.length
    const fit = Math.floor((MOST_LENGTH * found.length) / (length || 1))
    this.ahead = Math.max(LEAST_AHEAD, Math.min(fit, MOST_AHEAD))
  }
}
