import { Gauge, type Registry } from 'prom-client'
import type { InstallationId, InstallationMismatch } from './installation-id.ts'

/** Sending that has been started and can be stopped. */
interface RunningSender {
  stop(): Promise<void>
}

/** The dependencies of the sending switch. */
export interface SendingSwitchDeps {
  installation: Pick<InstallationId, 'findMismatch' | 'recordHeartbeat'>
  /** Starts sending. */
  start(): Promise<RunningSender>
  registry: Registry
  log: Record<'info' | 'warn' | 'error', (about: object, message: string) => void>
}

const CHECK_INTERVAL_MS = 1_000
const HEARTBEAT_INTERVAL_MS = 10_000
/**
 * Sending stops without a heartbeat: a later restore could not detect what was sent since the
 * last one.
 */
const HEARTBEAT_TTL_MS = 30_000

/** Why nothing is sent, as shown to the operator. */
export const MISMATCH_REASONS: Record<InstallationMismatch, string> = {
  paused: 'sending is paused',
  elsewhere: 'another installation sent for this data last; it was restored or copied',
  older: 'this database is older than what was sent; it was restored',
}
const REMEDY =
  'Events and deliveries are queued. Once no other server sends for this data, run: docket webhook resume'

/**
 * Sends as long as the database belongs to this installation, which it checks every second. The
 * first check is done when this returns. `stop` waits until no attempt is running any more.
 */
export async function startSendingSwitch({
  installation,
  start,
  registry,
  log,
}: SendingSwitchDeps): Promise<RunningSender> {
  let running: RunningSender | undefined
  let lastHeartbeatAt = Number.NEGATIVE_INFINITY
  let loggedReason: InstallationMismatch | undefined
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  const sending = new Gauge({
    name: 'docket_webhook_sending',
    help: '1 while deliveries are sent, 0 while they wait for `docket webhook resume`',
    aggregator: 'max',
    registers: [registry],
  })

  async function check(): Promise<void> {
    const reason = await installation.findMismatch()
    logChange(reason)
    if (reason !== undefined) return close()
    if (performance.now() - lastHeartbeatAt > HEARTBEAT_INTERVAL_MS) await recordHeartbeat()
    await open()
  }

  async function recordHeartbeat(): Promise<void> {
    const at = performance.now()
    await installation.recordHeartbeat()
    lastHeartbeatAt = at
  }

  async function open(): Promise<void> {
    running ??= await start()
    sending.set(1)
  }

  async function close(): Promise<void> {
    const previous = running
    running = undefined
    lastHeartbeatAt = Number.NEGATIVE_INFINITY
    sending.set(0)
    await previous?.stop()
  }

  function logChange(reason: InstallationMismatch | undefined): void {
    if (reason !== undefined && reason !== loggedReason) {
      log.warn({ reason }, `Webhooks are not sent: ${MISMATCH_REASONS[reason]}. ${REMEDY}`)
    }
    if (reason === undefined && loggedReason !== undefined) log.info({}, 'Webhooks are sent again')
    loggedReason = reason
  }

  async function checkSafely(): Promise<void> {
    try {
      await check()
    } catch (err) {
      log.error({ err }, 'Failed to check whether this installation may send webhooks')
      if (running && performance.now() - lastHeartbeatAt > HEARTBEAT_TTL_MS) await close()
    }
  }

  let currentCheck: Promise<void> = Promise.resolve()
  const scheduleCheck = () => {
    if (!stopped)
      timer = setTimeout(
        () => (currentCheck = checkSafely().finally(scheduleCheck)),
        CHECK_INTERVAL_MS,
      )
  }
  await check()
  scheduleCheck()

  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await currentCheck
      if (!running) return
      await close()
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
