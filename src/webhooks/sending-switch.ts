import { Gauge, type Registry } from 'prom-client'
import type { InstallationId, InstallationMismatch } from './installation-id.ts'

/** Sending that has been started and can be stopped. */
interface RunningSender {
  stop(): Promise<void>
}

/** The dependencies of the sending switch. */
interface SendingSwitchDeps {
  installation: Pick<InstallationId, 'findMismatch' | 'recordHeartbeat'>
  /** Starts sending. */
  start(): Promise<RunningSender>
  registry: Registry
  log: Record<'info' | 'warn' | 'error', (about: object, message: string) => void>
  checkIntervalMs?: number
}

const CHECK_INTERVAL_MS = 10_000
/** Each check is due for one, also if its timer fires a little early. */
const HEARTBEAT_INTERVAL_MS = 9_500
/** Sending stops without a heartbeat for this long. */
const HEARTBEAT_TTL_MS = 30_000

/** Why nothing is sent, as shown to the operator. */
const MISMATCH_REASONS: Record<InstallationMismatch, string> = {
  paused: 'sending is paused',
  elsewhere: 'another installation sent for this data last; it was restored or copied',
  older: 'this database is older than what was sent; it was restored',
}
const REMEDY =
  'Events and deliveries are queued. Once no other server sends for this data, run: docket webhook resume'

type SendingMode = 'starting' | 'sending' | InstallationMismatch | 'interrupted' | 'stopped'

/**
 * Sends as long as the database belongs to this installation. It checks that every 10 s, and only
 * a check changes the mode, until `stop` does:
 *
 * - `starting`: no check has been done yet. The first is done when this function returns.
 * - `sending`: deliveries are sent, and a heartbeat is recorded with each check.
 * - `paused`, `elsewhere`, `older`: nothing is sent for this reason until the operator resumes.
 * - `interrupted`: checks fail, and without a heartbeat a later restore could not detect what was
 *   sent since the last one. The next check that succeeds ends it.
 * - `stopped`: no attempt is running any more.
 */
export async function startSendingSwitch({
  installation,
  start,
  registry,
  log,
  checkIntervalMs = CHECK_INTERVAL_MS,
}: SendingSwitchDeps): Promise<RunningSender> {
  let mode: SendingMode = 'starting'
  let running: RunningSender | undefined
  let lastHeartbeatAt = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  const sending = new Gauge({
    name: 'docket_webhook_sending',
    help: '1 while deliveries are sent, 0 while they wait for `docket webhook resume`',
    aggregator: 'max',
    registers: [registry],
  })

  async function check(): Promise<void> {
    const reason = await installation.findMismatch()
    if (reason === undefined) return open()
    if (mode === reason) return
    log.warn({ reason }, `Webhooks are not sent: ${MISMATCH_REASONS[reason]}. ${REMEDY}`)
    await close(reason)
  }

  async function open(): Promise<void> {
    const at = performance.now()
    if (at - lastHeartbeatAt >= HEARTBEAT_INTERVAL_MS) {
      await installation.recordHeartbeat()
      lastHeartbeatAt = at
    }
    if (mode === 'sending') return
    running = await start()
    sending.set(1)
    if (mode in MISMATCH_REASONS) log.info({}, 'Webhooks are sent again')
    mode = 'sending'
  }

  async function close(next: InstallationMismatch | 'interrupted' | 'stopped'): Promise<void> {
    mode = next
    const previous = running
    running = undefined
    lastHeartbeatAt = Number.NEGATIVE_INFINITY
    sending.set(0)
    await previous?.stop()
  }

  async function checkSafely(): Promise<void> {
    try {
      await check()
    } catch (err) {
      log.error({ err }, 'Failed to check whether this installation may send webhooks')
      const isTooOld = performance.now() - lastHeartbeatAt > HEARTBEAT_TTL_MS
      if (mode === 'sending' && isTooOld) await close('interrupted')
    }
  }

  let currentCheck: Promise<void> = Promise.resolve()
  const scheduleCheck = () => {
    timer = setTimeout(() => (currentCheck = checkSafely().finally(scheduleCheck)), checkIntervalMs)
  }
  await check()
  scheduleCheck()

  return {
    async stop() {
      // A running check schedules the next one before it ends.
      await currentCheck
      clearTimeout(timer)
      const wasSending = mode === 'sending'
      await close('stopped')
      if (!wasSending) return
      await recordFinalHeartbeats().catch((err) =>
        log.error({ err }, 'Failed to record the last heartbeat'),
      )
    },
  }

  /** Two heartbeats, so that any earlier backup is behind by more than a kill can explain. */
  async function recordFinalHeartbeats(): Promise<void> {
    if ((await installation.findMismatch()) !== undefined) return
    await installation.recordHeartbeat()
    await installation.recordHeartbeat()
  }
}
