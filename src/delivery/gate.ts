import { Gauge, type Registry } from 'prom-client'
import type { Astray, Home } from './home.ts'

/** What is started and ended by a gate. */
interface Running {
  stop(): Promise<void>
}

/** What a gate needs. */
export interface Gated {
  home: Pick<Home, 'whyNot' | 'beat'>
  /** Begins to send. */
  start(): Promise<Running>
  registry: Registry
  log: Record<'info' | 'warn' | 'error', (about: object, message: string) => void>
}

const LOOK_MS = 1_000
const BEAT_MS = 10_000
/** Without a beat nothing tells what was sent since from what was not, should this be restored later. */
const SURE_MS = 30_000

/** Why nothing is sent, in words. */
export const REASONS: Record<Astray, string> = {
  paused: 'they are paused',
  elsewhere: 'this data was last sent from elsewhere; it is restored or copied',
  older: 'this database is older than what was sent; it is restored',
}
const REMEDY =
  'Events and deliveries wait. When nobody else sends for this data, run: docket webhook resume'

/**
 * Sends for as long as this is the place from which to send, and looks every second whether it is. The
 * first look is over when this returns. `stop` ends when nothing is under way any more.
 */
export async function openGate({ home, start, registry, log }: Gated): Promise<Running> {
  let running: Running | undefined
  let beaten = Number.NEGATIVE_INFINITY
  let told: Astray | undefined
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  const sending = new Gauge({
    name: 'docket_webhook_sending',
    help: '1 while deliveries are sent, 0 while they wait for `docket webhook resume`',
    aggregator: 'max',
    registers: [registry],
  })

  async function look(): Promise<void> {
    const why = await home.whyNot()
    tell(why)
    if (why !== undefined) return close()
    if (performance.now() - beaten > BEAT_MS) await beat()
    await open()
  }

  async function beat(): Promise<void> {
    const at = performance.now()
    await home.beat()
    beaten = at
  }

  async function open(): Promise<void> {
    running ??= await start()
    sending.set(1)
  }

  async function close(): Promise<void> {
    const was = running
    running = undefined
    beaten = Number.NEGATIVE_INFINITY
    sending.set(0)
    await was?.stop()
  }

  function tell(why: Astray | undefined): void {
    if (why !== undefined && why !== told) {
      log.warn({ reason: why }, `Nothing is sent to webhooks: ${REASONS[why]}. ${REMEDY}`)
    }
    if (why === undefined && told !== undefined) log.info({}, 'Deliveries to webhooks are sent')
    told = why
  }

  async function lookAgain(): Promise<void> {
    try {
      await look()
    } catch (err) {
      log.error({ err }, 'It is not known whether webhooks may be sent from here')
      if (running && performance.now() - beaten > SURE_MS) await close()
    }
  }

  let under_way: Promise<void> = Promise.resolve()
  const again = () => {
    if (!stopped) timer = setTimeout(() => (under_way = lookAgain().finally(again)), LOOK_MS)
  }
  await look()
  again()

  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await under_way
      if (!running) return
      await close()
      await farewell().catch((err) => log.error({ err }, 'The last beat failed'))
    },
  }

  /** Twice, so that whatever was saved before is older by more than a kill explains. */
  async function farewell(): Promise<void> {
    if ((await home.whyNot()) !== undefined) return
    await home.beat()
    await home.beat()
  }
}
