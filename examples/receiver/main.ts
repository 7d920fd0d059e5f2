import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Envelope } from './envelope.ts'
import { openInbox } from './inbox.ts'
import { receiver } from './server.ts'

const { DOCKET_WEBHOOK_SECRET, PORT = '3000', RECEIVER_FILE = 'receiver.db' } = process.env

if (!DOCKET_WEBHOOK_SECRET) {
  console.error(
    'Usage: DOCKET_WEBHOOK_SECRET=whsec_… [PORT=3000] npx node examples/receiver/main.ts',
  )
  process.exit(2)
}

const inbox = openInbox(RECEIVER_FILE)
let working = false

// Nothing to put in order: what is not finished waits in the file.
process.once('SIGINT', () => process.exit(0))
process.once('SIGTERM', () => process.exit(0))

work()
// Outside the request, which must not wait for it.
const server = receiver(DOCKET_WEBHOOK_SECRET, inbox, () => setImmediate(work))
server.listen(Number(PORT), '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
console.log(`Listening on http://127.0.0.1:${port}/hook`)

/** Handles what waits, one after another. One that throws ends the program, and is the next again. */
async function work(): Promise<void> {
  if (working) return
  working = true
  for (let event = inbox.next(); event; event = inbox.next()) {
    await handle(event, inbox.isLate(event))
    inbox.finish(event)
  }
  working = false
}

/**
 * What your program does with an event. It may be done twice for one event, if the program ends
 * between here and `finish`: where that hurts, pass the event's id on.
 */
async function handle({ id, type, sequence, actor, data }: Envelope, late: boolean) {
  const record = data.short_id ?? data.id ?? ''
  const title = data.title ?? data.name ?? ''
  const words = [sequence ?? '-', id, type, record, title, `(${actor.name})`, late ? 'late' : '']
  console.log(words.filter((word) => word !== '').join(' '))
}
