import { setTimeout as pause } from 'node:timers/promises'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Notices } from '#core/notices.ts'
import { Refusal, unavailable } from '#core/refusal.ts'
import type { Stream } from './stream.ts'

/** The same person at so many places; more are refused (reliability B3). */
const MOST_OF_PERSON = 10
/** So often it is asked whether whoever listens still may: an end binds within a second. */
const LOOK_MS = 500
/** Without a word for longer, a client takes a stream for dead. */
const BEAT_MS = 25_000

/** All streams of this process: how many a person has, who still may, and their end. */
export class Streams {
  readonly #open = new Set<Stream>()
  readonly #figures: ReturnType<typeof figuresIn>
  #timer: NodeJS.Timeout | undefined
  #beatAt = 0
  #ended = false

  constructor(registry: Registry, notices: Notices) {
    this.#figures = figuresIn(registry, notices, () => this.#open.size)
  }

  /** Refuses one stream too many of a person, and any while the server stops. */
  refuseOneMore(user_id: string | null): void {
    if (this.#ended) throw unavailable('Docket is being restarted. Try again soon.')
    let of_person = 0
    for (const { actor } of this.#open) if (actor.user_id === user_id) of_person += 1
    if (of_person < MOST_OF_PERSON) return
    const message = `There are ${MOST_OF_PERSON} live connections of this person: close one.`
    throw new Refusal(429, 'too_many_session_requests', message, {
      headers: { 'retry-after': '5' },
    })
  }

  add(stream: Stream): void {
    this.#open.add(stream)
    stream.onSent = (notices) => this.#figures.notices.inc(notices)
    stream.onClose = (why) => {
      this.#open.delete(stream)
      if (why === 'lag') this.#figures.cut.inc()
    }
    this.#timer ??= this.#looking()
  }

  /** Ends all of them, with the advice to come back, and takes no further one. */
  async end(): Promise<void> {
    this.#ended = true
    clearInterval(this.#timer)
    for (const stream of this.#open) stream.end()
    // Their last bytes are on their way before the connections are closed.
    if (this.#open.size > 0) await pause(LAST_WORDS_MS)
  }

  #looking(): NodeJS.Timeout {
    this.#beatAt = performance.now() + BEAT_MS
    const timer = setInterval(() => {
      const beats = performance.now() >= this.#beatAt
      if (beats) this.#beatAt += BEAT_MS
      for (const stream of this.#open) {
        if (beats) stream.beat()
        stream.look()
      }
      if (this.#open.size > 0) return
      clearInterval(timer)
      this.#timer = undefined
    }, LOOK_MS)
    return timer.unref()
  }
}

const LAST_WORDS_MS = 20

function figuresIn(registry: Registry, told: Notices, open: () => number) {
  const registers = [registry]
  if (told.isLinked !== undefined) {
    new Gauge({
      name: 'docket_notices_linked',
      help: '1 while this process hears at once what others on the database write',
      aggregator: 'min',
      registers,
      collect() {
        this.set(told.isLinked ? 1 : 0)
      },
    })
  }
  new Counter({
    name: 'docket_notices_resets_total',
    help: 'How often a live connection was told to read anew, for it may have missed something',
    registers,
    collect() {
      this.reset()
      this.inc(told.resets)
    },
  })
  new Gauge({
    name: 'docket_live_streams',
    help: 'Live connections that are open',
    registers,
    collect() {
      this.set(open())
    },
  })
  const notices = new Counter({
    name: 'docket_live_notices_total',
    help: 'Notices written to live connections',
    registers,
  })
  const cut = new Counter({
    name: 'docket_live_cut_total',
    help: 'Live connections that were cut because they did not read',
    registers,
  })
  return { notices, cut }
}
