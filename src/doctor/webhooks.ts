import type { Storage } from '#core/tx.ts'
import { backlogOf } from '#delivery/backlog.ts'
import { REASONS } from '#delivery/gate.ts'
import { homeOf } from '#delivery/home.ts'
import { type Finding, findings } from './finding.ts'

const { ok, warning } = findings('webhooks')
/** Where all is well a delivery is attempted within seconds of when it is due. */
const OVERDUE_SECONDS = 300

/** Whether anything is sent from here, and what waits; `running`: a server is known to run. */
export async function lookAtWebhooks(
  storage: Storage,
  dataDir: string,
  running: boolean,
): Promise<Finding[]> {
  const { deliveries, events, overdueSeconds } = await backlogOf(storage)
  const waiting = `${deliveries} deliveries and ${events} events wait`
  const state = await homeOf(storage, dataDir).state()
  if (state !== undefined && state !== 'new') {
    const how = 'When nobody else sends for this data: docket webhook resume'
    return [warning(`nothing is sent: ${REASONS[state]}; ${waiting}`, how)]
  }
  if (running && overdueSeconds > OVERDUE_SECONDS) {
    const how =
      'Look at docket_webhook_… in /metrics, at the load, and at the way out to the network.'
    return [warning(`${waiting}, one for ${Math.round(overdueSeconds)} s too long`, how)]
  }
  return [ok(waiting)]
}
