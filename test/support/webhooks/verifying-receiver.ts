import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { verify } from '@octokit/webhooks-methods'
import { Webhook } from 'standardwebhooks'

/** One secret for all webhooks of a receiver, so that equal bytes have equal signatures. */
export const RECEIVER_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

/** A received delivery attempt. Times are from `performance.now()`. */
export interface ReceivedAttempt {
  /** The last path segment, which identifies the webhook. */
  hook: string
  event: string
  type: string
  at: number
}

/** The facts about an event that its deliveries have revealed. */
export interface ReceivedEvent {
  sequence: number
  /** The record that determines the order of deliveries. */
  subject: string
  type: string
  workspace_id: string
  operation_id: string
  signature: string
}

/** A webhook receiver on the loopback interface that verifies and records every attempt. */
export interface VerifyingReceiver {
  /** The URL for a webhook with this name. */
  urlOf(hook: string): string
  arrivals: ReceivedAttempt[]
  /** Successfully answered deliveries, as `<hook> <event>`. */
  received: Set<string>
  events: Map<string, ReceivedEvent>
  /** Errors such as invalid signatures, and bytes that differ between attempts. */
  wrong: Set<string>
  close(): Promise<void>
}

/** Starts a receiver that verifies each attempt with two independent libraries, and accepts it. */
export async function startVerifyingReceiver(): Promise<VerifyingReceiver> {
  const arrivals: ReceivedAttempt[] = []
  const received = new Set<string>()
  const events = new Map<string, ReceivedEvent>()
  const wrong = new Set<string>()
  const standard = new Webhook(RECEIVER_SECRET)

  async function take(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const at = performance.now()
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const head = (name: string) => String(request.headers[name])
    const arrival: ReceivedAttempt = {
      hook: request.url?.split('/').at(-1) ?? '',
      event: head('webhook-id'),
      type: head('x-service-event'),
      at,
    }
    const signature = head('x-service-signature')
    try {
      standard.verify(body, request.headers as Record<string, string>)
    } catch (error) {
      wrong.add(`webhook-signature: ${error}`)
    }
    if (!(await verify(RECEIVER_SECRET, body, signature))) wrong.add('x-service-signature')
    const known = events.get(arrival.event) ?? knownBy(body, signature)
    events.set(arrival.event, known)
    if (known.signature !== signature) wrong.add(`other bytes of ${arrival.event}`)
    if (known.type !== arrival.type) wrong.add(`${arrival.type} is a ${known.type}`)
    arrivals.push(arrival)
    received.add(`${arrival.hook} ${arrival.event}`)
    reply.writeHead(204).end()
  }

  const server = createServer({ keepAliveTimeout: 60_000 }, (request, reply) => {
    // A sender that is killed during a request does not count as having sent it.
    take(request, reply).catch(() => request.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    urlOf: (hook) => `http://127.0.0.1:${port}/${hook}`,
    arrivals,
    received,
    events,
    wrong,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function knownBy(body: string, signature: string): ReceivedEvent {
  const { type, sequence, workspace_id, operation_id, data } = JSON.parse(body)
  return { type, sequence, workspace_id, operation_id, subject: data.task_id ?? data.id, signature }
}
