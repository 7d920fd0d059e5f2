import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { WebhookEvent } from './envelope.ts'
import { openEventInbox } from './inbox.ts'
import { createWebhookServer } from './server.ts'

const { DOCKET_WEBHOOK_SECRET, PORT = '3000', RECEIVER_FILE = 'receiver.db' } = process.env

if (!DOCKET_WEBHOOK_SECRET) {
  console.error(
    'Usage: DOCKET_WEBHOOK_SECRET=whsec_… [PORT=3000] npx node examples/receiver/main.ts',
  )
  process.exit(2)
}

const inbox = openEventInbox(RECEIVER_FILE)
let isWorking = false

// No cleanup is needed: unhandled events wait in the file.
process.once('SIGINT', () => process.exit(0))
process.once('SIGTERM', () => process.exit(0))

work()
// Runs after the request, which must not wait for it.
const server = createWebhookServer(DOCKET_WEBHOOK_SECRET, inbox, () => setImmediate(work))
server.listen(Number(PORT), '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
console.log(`Listening on http://127.0.0.1:${port}/hook`)

/** Handles waiting events in order. If one throws, the program ends; a restart tries it again. */
async function work(): Promise<void> {
  if (isWorking) return
  isWorking = true
  for (let event = inbox.next(); event; event = inbox.next()) {
    await handle(event, inbox.isLate(event))
    inbox.finish(event)
  }
  isWorking = false
}

/**
 * Your own work goes here. It can run twice for one event, if the program ends before `finish`: use
 * the event's id as an idempotency key where that matters.
 */
async function handle({ id, type, sequence, actor, data }: WebhookEvent, late: boolean) {
  const record = data.short_id ?? data.id ?? ''
  const title = data.title ?? data.name ?? ''
  const words = [sequence ?? '-', id, type, record, title, `(${actor.name})`, late ? 'late' : '']
  console.log(words.filter((word) => word !== '').join(' '))
}
