import { conflict, invalid, Refusal } from '#core/refusal.ts'
import type { WriteTx } from '#core/tx.ts'
import { homeOf } from '#delivery/home.ts'
import { newWebhookSecret } from '#lib/token.ts'
import { loadWebhook } from '#resources/webhooks/load.ts'
import { addWebhook, dropWebhook } from '#resources/webhooks/operations.ts'
import { webhooksDescribed } from '#resources/webhooks/store.ts'
import { faultsOfTarget } from '#resources/webhooks/target.ts'
import { isHeld } from '#storage/data-dir.ts'
import { EVENT_KINDS } from '#wire/events.ts'
import { fault } from '#wire/fault.ts'
import { Line, Optional } from '#wire/schema.ts'
import { command } from './command.ts'
import { type Installation, ownerOf } from './installation.ts'
import { IdOf } from './options.ts'
import { isListening, openListener } from './webhook-listener.ts'
import { lineOf, type Told } from './webhook-told.ts'

/** By it a webhook is known that a killed listener has left behind. */
const DESCRIPTION = 'docket webhook listen: deleted when that ends'

/** A listener for local development: a webhook that lives as long as the command runs. */
export const listen = command({
  name: 'webhook listen',
  summary: 'Print deliveries as they come, for local development; ends with Ctrl+C',
  options: {
    workspace: IdOf('workspace'),
    events: Optional(
      Line(1, 500, { description: 'Kinds of event with commas between; default: *' }),
    ),
    forward: Optional(
      Line(1, 2_048, { description: 'Address that gets the same bytes, and whose answer counts' }),
    ),
  },
  async run(installation, { workspace, events = '*', forward }, tell) {
    const ended = end()
    const kinds = kindsIn(events)
    const secret = newWebhookSecret()
    const to = forward === undefined ? undefined : addressIn(forward)
    const told = (told: Told) => tell(told, lineOf(told, to !== undefined))
    const listener = await openListener({ secret, to, told })
    try {
      refuseElsewhere(installation, listener.url)
      await removeLeftovers(installation, workspace)
      const id = await installation.within(workspace, async (tx) => {
        const wanted = { url: listener.url, events: kinds, description: DESCRIPTION, secret }
        return (await addWebhook(tx, wanted, await ownerOf(tx))).id
      })
      try {
        console.error(`Deliveries of ${workspace} (${kinds.join(', ')}) are shown until Ctrl+C.`)
        console.error(`Webhook ${id}, secret ${secret}`)
        for (const hint of await hintsFor(installation)) console.error(hint)
        await ended
      } finally {
        await remove(installation, workspace, id)
      }
    } finally {
      await listener.close()
    }
    return undefined
  },
})

/** The first signal ends it in order, a second one at once. So does the end of who reads. */
const end = () =>
  new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
    process.stdout.on('error', () => resolve())
  })

function kindsIn(text: string) {
  const known = [...EVENT_KINDS, '*' as const]
  const names = [...new Set(text.split(',').map((name) => name.trim()))]
  const kinds = known.filter((kind) => names.includes(kind))
  if (kinds.length === names.length && (kinds.length === 1 || !names.includes('*'))) return kinds
  const why = `must be * or kinds of event with commas between: ${EVENT_KINDS.join(', ')}`
  throw invalid(fault('events', 'invalid_value', why))
}

function addressIn(text: string): URL {
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol)) return url
  throw invalid(fault('forward', 'invalid_value', 'must be an address that begins with http'))
}

/** What the API would refuse as well: a Docket on a server sends to no address of its own machine. */
function refuseElsewhere({ config }: Installation, url: string): void {
  if (faultsOfTarget(url, config.settings.webhookTargets).length === 0) return
  throw conflict(
    'url_not_allowed',
    'This Docket sends nothing to its own machine: that needs a DOCKET_HOST and a DOCKET_BASE_URL ' +
      'that are loopback addresses.',
  )
}

/** Removes the webhooks of listeners that were killed, and leaves those that still listen. */
async function removeLeftovers(installation: Installation, workspace: string): Promise<void> {
  const found = await installation.looking(workspace, (tx) =>
    tx.all(webhooksDescribed, { description: DESCRIPTION }),
  )
  for (const { id, url } of found) {
    if (!(await isListening(url))) await remove(installation, workspace, id)
  }
}

/** Somebody may have deleted it meanwhile. */
async function remove({ within }: Installation, workspace: string, id: string): Promise<void> {
  const drop = async (tx: WriteTx) => {
    await loadWebhook(tx, id)
    await dropWebhook(tx, id)
  }
  await within(workspace, drop).catch((error) => {
    if (!(error instanceof Refusal && error.status === 404)) throw error
  })
}

/** Why nothing may come. */
async function hintsFor({ config, storage }: Installation): Promise<string[]> {
  const served = config.databaseUrl !== undefined || isHeld(config.dataDir)
  const why = await homeOf(await storage(), config.dataDir).whyNot()
  return [
    ...(served ? [] : ['No server runs on this data: deliveries come when one does.']),
    ...(why ? ['Nothing is sent to webhooks now: see docket webhook resume.'] : []),
  ]
}
