import { refuseFaults } from '#core/refusal.ts'
import type { WebhookTargets } from '#core/settings.ts'
import type { ReadTx } from '#core/tx.ts'
import { addressAllowed, addressesNamed } from '#lib/address.ts'
import { type Fault, fault } from '#wire/fault.ts'
import { projectsAmong } from './store.ts'

/** Refuses an address to which this installation sends nothing (contract 8.7). */
export function refuseTarget({ settings }: ReadTx, url: string): void {
  refuseFaults(faultsOfTarget(url, settings.webhookTargets))
}

/**
 * What is wrong with an absolute address as a target. Names are judged by what they mean, whenever
 * something is sent to them.
 */
export function faultsOfTarget(url: string, targets: WebhookTargets): Fault[] {
  const { protocol, hostname } = new URL(url)
  if (protocol !== 'https:' && !targets.allowHttp && !targets.loopback) {
    return [fault('url', 'invalid_format', 'must begin with https://')]
  }
  const addresses = addressesNamed(hostname)
  if (!addresses || addresses.some((address) => addressAllowed(address, targets))) return []
  return [fault('url', 'url_not_allowed', 'names an address to which Docket sends nothing')]
}

/** Refuses what is no project of the workspace, each by its place in the list. */
export async function refuseForeignProjects(tx: ReadTx, ids: readonly string[]): Promise<void> {
  const found = await tx.all(projectsAmong, { ids: [...ids] })
  const known = new Set(found.map(({ id }) => id))
  refuseFaults(
    ids.flatMap((id, at) =>
      known.has(id)
        ? []
        : [fault(`project_ids[${at}]`, 'invalid_reference', 'is no project of this workspace')],
    ),
  )
}
