import { ApiError, validationFailed } from '#core/api-error.ts'
import type { WriteTx } from '#core/transaction.ts'
import { isDataDirServed } from '#db/installation/data-dir.ts'
import { newWebhookSecret } from '#lib/token.ts'
import { loadWebhook } from '#resources/webhooks/load.ts'
import {
  createWebhookAs,
  removeWebhookAndLog,
  validateWebhookTarget,
} from '#resources/webhooks/operations.ts'
import { webhooksByDescription } from '#resources/webhooks/store.ts'
import { openInstallationId } from '#webhooks/dispatch/installation-id.ts'
import { EVENT_KINDS } from '#wire/event-kinds.ts'
import { type FieldErrorCode, fieldError } from '#wire/field-error.ts'
import { Optional, SingleLineText } from '#wire/schema-builders.ts'
import { defineCommand, IdOption } from '../arguments.ts'
import { type CliInstallation, requireOwnerId } from '../installation.ts'
import {
  formatDelivery,
  isWebhookListener,
  openWebhookListener,
  type ReceivedDelivery,
} from '../webhook-listener/listener.ts'

/** Identifies webhooks that a killed listener has left behind. */
const DESCRIPTION = 'docket webhook listen: deleted when that ends'

/** A listener for local development. Its webhook is deleted when the command ends. */
export const listenCommand = defineCommand({
  name: 'webhook listen',
  summary: 'Print deliveries as they arrive, for local development; stop with Ctrl+C',
  options: {
    workspace: IdOption('workspace'),
    events: Optional(
      SingleLineText(1, 500, { description: 'Comma-separated event types; default: *' }),
    ),
    forward: Optional(
      SingleLineText(1, 2_048, {
        description: 'URL to forward deliveries to, unchanged; its response is returned to Docket',
      }),
    ),
  },
  async run(installation, { workspace, events = '*', forward }, print) {
    const stopped = waitForStop()
    const kinds = parseKinds(events)
    const secret = newWebhookSecret()
    const forwardTo = forward === undefined ? undefined : parseForwardUrl(forward)
    const onDelivery = (delivery: ReceivedDelivery) =>
      print(delivery, formatDelivery(delivery, forwardTo !== undefined))
    const listener = await openWebhookListener({ secret, forwardTo, onDelivery })
    try {
      assertTargetAllowed(installation, listener.url)
      await removeLeftovers(installation, workspace)
      const id = await installation.writeWorkspace(workspace, async (tx) => {
        const webhook = { url: listener.url, events: kinds, description: DESCRIPTION, secret }
        return (await createWebhookAs(tx, webhook, await requireOwnerId(tx))).id
      })
      try {
        console.error(
          `Listening for deliveries of ${workspace} (${kinds.join(', ')}). Press Ctrl+C to stop.`,
        )
        console.error(`Webhook ${id}, secret ${secret}`)
        for (const hint of await hintsFor(installation)) console.error(hint)
        await stopped
      } finally {
        await removeWebhook(installation, workspace, id)
      }
    } finally {
      await listener.close()
    }
    return undefined
  },
})

/**
 * Resolves at the first signal or when stdout is closed. A second signal ends the process at once.
 */
const waitForStop = () =>
  new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
    process.stdout.on('error', () => resolve())
  })

function parseKinds(text: string) {
  const allKinds = [...EVENT_KINDS, '*' as const]
  const names = [...new Set(text.split(',').map((name) => name.trim()))]
  const kinds = allKinds.filter((kind) => names.includes(kind))
  if (kinds.length === names.length && (kinds.length === 1 || !names.includes('*'))) return kinds
  const why = `must be * or a comma-separated list of: ${EVENT_KINDS.join(', ')}`
  throw validationFailed(fieldError('events', 'invalid_value', why))
}

function parseForwardUrl(text: string): URL {
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol)) return url
  throw validationFailed(fieldError('forward', 'invalid_value', 'must be an http or https URL'))
}

/** Applies the rule of the API that a Docket on a server sends to no address of its own machine. */
function assertTargetAllowed({ config }: CliInstallation, url: string): void {
  if (validateWebhookTarget(url, config.settings.webhookTargets).length === 0) return
  throw new ApiError<FieldErrorCode>(
    409,
    'url_not_allowed',
    'This server does not send webhooks to its own machine: that needs DOCKET_HOST and ' +
      'DOCKET_BASE_URL to be loopback addresses.',
  )
}

/** Removes the webhooks of listeners that were killed, and leaves those that still listen. */
async function removeLeftovers(installation: CliInstallation, workspace: string): Promise<void> {
  const webhooks = await installation.readWorkspace(workspace, (tx) =>
    tx.all(webhooksByDescription, { description: DESCRIPTION }),
  )
  for (const { id, url } of webhooks) {
    if (!(await isWebhookListener(url))) await removeWebhook(installation, workspace, id)
  }
}

/** Ignores 404, because somebody may have deleted the webhook meanwhile. */
async function removeWebhook(
  { writeWorkspace }: CliInstallation,
  workspace: string,
  id: string,
): Promise<void> {
  const drop = async (tx: WriteTx) => {
    await loadWebhook(tx, id)
    await removeWebhookAndLog(tx, id)
  }
  await writeWorkspace(workspace, drop).catch((error) => {
    if (!(error instanceof ApiError && error.status === 404)) throw error
  })
}

/** Explains why no delivery may arrive. */
async function hintsFor({ config, storage }: CliInstallation): Promise<string[]> {
  const mayBeServed = config.databaseUrl !== undefined || isDataDirServed(config.dataDir)
  const why = await openInstallationId(await storage(), config.dataDir).findMismatch()
  return [
    ...(mayBeServed
      ? []
      : ['No server is running on this data. Deliveries arrive once you start one.']),
    ...(why ? ['Webhooks are paused. Run docket webhook resume to send them.'] : []),
  ]
}
