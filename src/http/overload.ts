import type { FastifyInstance } from 'fastify'
import { Refusal } from '#core/refusal.ts'

const SAMPLE_MS = 100
const LATE_MS = 200
/** One late turn may be a checkpoint or the collector; this many in a row are too much work. */
const IN_A_ROW = 2

/**
 * Those who run Docket must see it also when it is overloaded. The web app's files cost nothing, and a
 * page that misses one of them is broken until it is loaded again.
 */
const EXEMPT = /^\/((healthz|readyz|metrics)(\?|$)|app\/)/

/**
 * Watches how late the event loop runs while the server listens. Gives what refuses a request as long
 * as it is too late: before a body is read, so that a refusal costs little and what is accepted is
 * answered in time.
 */
export function overload(server: FastifyInstance) {
  let late = 0
  let timer: NodeJS.Timeout | undefined

  function watch() {
    const due = performance.now() + SAMPLE_MS
    timer = setTimeout(() => {
      late = performance.now() - due > LATE_MS ? late + 1 : 0
      watch()
    }, SAMPLE_MS).unref()
  }

  server.addHook('onListen', (done) => {
    watch()
    done()
  })
  server.addHook('onClose', (_, done) => {
    clearTimeout(timer)
    done()
  })

  return (url: string): Refusal | undefined => {
    if (late < IN_A_ROW || EXEMPT.test(url)) return undefined
    return new Refusal(503, 'unavailable', 'Docket has more to do than it can. Try again soon.', {
      headers: { 'retry-after': '1' },
    })
  }
}
