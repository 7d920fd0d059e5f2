import type { Storage } from '#core/transaction.ts'
import { openInstallationId } from '#webhooks/dispatch/installation-id.ts'
import { MISMATCH_REASONS } from '#webhooks/dispatch/sending-switch.ts'
import { loadBacklog } from '#webhooks/queue/backlog.ts'
import { createFindings, type Finding } from './finding.ts'

const { ok, warning } = createFindings('webhooks')
/** A working server attempts a delivery within seconds of its due time. */
const MAX_OVERDUE_SECONDS = 300

/**
 * Checks whether this installation sends, and what waits. `isRunning`: a server is known to run.
 */
export async function checkWebhooks(
  storage: Storage,
  dataDir: string,
  isRunning: boolean,
): Promise<Finding[]> {
  const { deliveries, events, overdueSeconds } = await loadBacklog(storage)
  const waiting = `${deliveries} deliveries and ${events} events pending`
  const state = await openInstallationId(storage, dataDir).inspect()
  if (state !== undefined && state !== 'new') {
    const how = 'Once no other server sends for this data, run docket webhook resume.'
    return [warning(`not sent: ${MISMATCH_REASONS[state]}; ${waiting}`, how)]
  }
  if (isRunning && overdueSeconds > MAX_OVERDUE_SECONDS) {
    const how =
      'Check docket_webhook_… in /metrics, the load of the server, and its outgoing network.'
    return [warning(`${waiting}, the oldest overdue by ${Math.round(overdueSeconds)} s`, how)]
  }
  return [ok(waiting)]
}
