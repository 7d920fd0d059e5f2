import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { verify } from '@octokit/webhooks-methods'
import { Webhook } from 'standardwebhooks'
import { KIND, type Manner, manners } from './manners.ts'

/** The same for all webhooks of a receiver, so that the same bytes have the same signature. */
export const RECEIVED_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

/** An attempt as it came. Times are of `performance.now()`. */
export interface Arrival {
  /** The last part of the path: which webhook it was sent for. */
  hook: string
  event: string
  type: string
  delivery: string
  attempt: number
  at: number
  manner: Manner
}

/** What is known of an event by what was sent. */
export interface Known {
  sequence: number
  /** The record by which deliveries keep their order. */
  subject: string
  type: string
  workspace_id: string
  operation_id: string
  signature: string
}

/** A receiver of webhooks on this machine, and all that it was sent. */
export interface Receiver {
  /** Where to send for a webhook of this name. */
  urlOf(hook: string): string
  arrivals: Arrival[]
  /** What was answered well: `<hook> <event>`. */
  received: Set<string>
  events: Map<string, Known>
  /** Signatures that do not hold, bytes that differ between attempts, and the like. */
  wrong: Set<string>
  /** Cuts all connections, and with them what is not answered. */
  hangUp(): void
  close(): Promise<void>
}

/**
 * Listens on the loopback, checks each attempt by two foreign verifiers, and answers in the manner that
 * the plan says for it; well, if there is no plan.
 */
export async function receiver(plan: (arrival: Arrival) => Manner = () => 'ok'): Promise<Receiver> {
  const arrivals: Arrival[] = []
  const received = new Set<string>()
  const events = new Map<string, Known>()
  const wrong = new Set<string>()
  const standard = new Webhook(RECEIVED_SECRET)

  async function take(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const at = performance.now()
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const head = (name: string) => String(request.headers[name])
    const arrival: Arrival = {
      hook: request.url?.split('/').at(-1) ?? '',
      event: head('webhook-id'),
      type: head('x-service-event'),
      delivery: head('x-service-delivery'),
      attempt: Number(head('x-service-attempt')),
      at,
      manner: 'ok',
    }
    const signature = head('x-service-signature')
    try {
      standard.verify(body, request.headers as Record<string, string>)
    } catch (error) {
      wrong.add(`webhook-signature: ${error}`)
    }
    if (!(await verify(RECEIVED_SECRET, body, signature))) wrong.add('x-service-signature')
    const known = events.get(arrival.event) ?? knownBy(body, signature)
    events.set(arrival.event, known)
    if (known.signature !== signature) wrong.add(`other bytes of ${arrival.event}`)
    if (known.type !== arrival.type) wrong.add(`${arrival.type} is a ${known.type}`)
    arrival.manner = plan(arrival)
    arrivals.push(arrival)
    if (KIND.has(arrival.manner)) received.add(`${arrival.hook} ${arrival.event}`)
    manners[arrival.manner](reply)
  }

  const server = createServer({ keepAliveTimeout: 60_000 }, (request, reply) => {
    // Who is killed in the middle of a request has sent nothing.
    take(request, reply).catch(() => request.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    urlOf: (hook) => `http://127.0.0.1:${port}/${hook}`,
    ...{ arrivals, received, events, wrong },
    hangUp: () => server.closeAllConnections(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function knownBy(body: string, signature: string): Known {
  const { type, sequence, workspace_id, operation_id, data } = JSON.parse(body)
  return { type, sequence, workspace_id, operation_id, subject: data.task_id ?? data.id, signature }
}
