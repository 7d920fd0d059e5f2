import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { describeConnectionFailure } from '../../sdk/src/errors.ts'
import {
  type Event,
  type EventPage,
  getEventPosition,
  List,
  listWebhooks,
  replayEvents,
} from '../../sdk/src/index.ts'
import { signWebhook } from '../../sdk/src/webhooks.ts'
import type { CommandContext, CommandDefinition, OptionDefinition } from './command.ts'
import { readPersonalFile, stateFile, writePersonalFile } from './config.ts'
import { formatClock, readTimezone } from './days.ts'
import { CommandFailure } from './failures.ts'
import { findProjectNamed } from './tasks.ts'
import { finishWrite, printRequests } from './undo.ts'

const POLL_INTERVAL_MS = 2_000
/** With at most ten seconds between two attempts, a restart of the server goes unnoticed. */
const MAX_RETRIES = 100

/** Hands on each event as it happens, in order, until the process ends. */
async function followEvents(
  context: CommandContext,
  handle: (event: Event, timezone: string) => Promise<void>,
) {
  const { input, connect } = context
  const { docket } = connect({ maxRetries: MAX_RETRIES })
  const [types, project] = [input.texts('type'), input.text('project')]
  const filters = {
    ...(types.length > 0 && { type: types }),
    ...(project !== undefined && { project_id: (await findProjectNamed(docket, project)).id }),
  }
  const since = input.integer('after', 0)
  const timezone = await readTimezone(docket)
  let position = since ?? (await getEventPosition(docket)).newest_sequence
  context.output.note(`Waiting for events after ${position}. Ctrl-C ends.`)
  process.once('SIGINT', () => process.exit(0))
  for (;;) {
    // The server knows the types, also those that are newer than this command line.
    const query = { ...filters, after_sequence: position }
    const events = new List<Event, EventPage>(docket, '/api/v1/events', query)
    for await (const { data, newest_sequence } of events.pages()) {
      for (const event of data) await handle(event, timezone)
      position = newest_sequence
    }
    await wait(POLL_INTERVAL_MS)
  }
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value.replaceAll(/\s+/g, ' ') : ''

/** An event in a line: when, what, of which record, by whom. */
function describeEvent(
  { output }: CommandContext,
  { timestamp, type, data, actor, sequence }: Event,
  timezone: string,
) {
  const subject = [data.short_id, data.title ?? data.name ?? data.body ?? data.filename]
  const words = subject.map(textOf).filter(Boolean).join(' ')
  const time = output.paint('dim', formatClock(timestamp, timezone))
  return `${sequence}  ${time}  ${output.paint('cyan', textOf(type))}  ${words}  ${output.paint('dim', textOf(actor.name))}`
}

async function follow(context: CommandContext) {
  const { output } = context
  await followEvents(context, (event, timezone) =>
    output.result(event, describeEvent(context, event, timezone)),
  )
}

/** The secret that signs what is sent to a local receiver: the same in each run on this computer. */
function localSecret(): string {
  if (process.env.DOCKET_WEBHOOK_SECRET) return process.env.DOCKET_WEBHOOK_SECRET
  const path = stateFile('webhook-secret')
  const stored = readPersonalFile(path)?.trim()
  if (stored) return stored
  const secret = `whsec_${randomBytes(24).toString('base64')}`
  writePersonalFile(path, `${secret}\n`)
  return secret
}

/** The headers of a delivery (docs/spec/api.md#signatures-and-secrets). */
const signEvent = async (event: Event, body: string, secret: string) => ({
  ...(await signWebhook({ body, secret, id: event.id })),
  'user-agent': 'Docket-Webhooks/1',
  'x-service-event': event.type,
  'x-service-delivery': `local_${randomUUID()}`,
  'x-service-attempt': '1',
})

/** As long as Docket waits for a receiver. */
const RECEIVER_TIMEOUT_MS = 10_000

async function listen(context: CommandContext) {
  const { input, output } = context
  const secret = localSecret()
  if (input.flag('print-secret')) return output.result({ secret }, secret)
  const target = input.argument('url')
  if (target === undefined || !URL.canParse(target) || !/^https?:/.test(target)) {
    throw input.wrong(
      'URL must be the address of your receiver, such as http://localhost:3000/hook.',
    )
  }
  output.note(
    `Sends events to ${target}. docket webhooks listen --print-secret prints their secret.`,
  )
  await followEvents(context, async (event, timezone) => {
    const body = JSON.stringify(event)
    const status = await deliver(target, await signEvent(event, body, secret), body)
    const isOk = typeof status === 'number' && status >= 200 && status < 300
    const result = output.paint(isOk ? 'green' : 'red', String(status))
    const data = { event, receiver: { status: typeof status === 'number' ? status : null } }
    await output.result(data, `${describeEvent(context, event, timezone)}  → ${result}`)
  })
}

/** The status of the receiver, or why there is none. There is no second attempt, because a person is watching. */
async function deliver(url: string, headers: Record<string, string>, body: string) {
  const signal = AbortSignal.timeout(RECEIVER_TIMEOUT_MS)
  try {
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
    await response.arrayBuffer()
    return response.status
  } catch (error) {
    return describeConnectionFailure(error)
  }
}

async function replay(context: CommandContext) {
  const { input, connect, isDryRun } = context
  const { docket } = connect()
  const from_sequence = input.integer('from', 1)
  const to_sequence = input.integer('to', 1)
  if (from_sequence === undefined) throw input.wrong('Give the first event as --from SEQUENCE.')
  const webhooks = await listWebhooks(docket).toArray()
  const name = input.argument('webhook')
  const [webhook, ...others] = webhooks.filter(
    ({ id, url }) => name === undefined || name === id || name === url,
  )
  if (!webhook || others.length > 0) {
    const choices = webhooks.map(({ id, url }) => `\n${id}  ${url}`).join('')
    throw new CommandFailure(
      'not_found',
      `Give one of your webhooks as WEBHOOK:${choices || ' none'}`,
    )
  }
  const body = { from_sequence, ...(to_sequence !== undefined && { to_sequence }) }
  if (isDryRun) {
    const path = `/api/v1/webhooks/${webhook.id}/replay`
    return printRequests(context, [{ method: 'POST', path, body }])
  }
  const result = await replayEvents(docket, webhook.id, body)
  const { queued, to_sequence: last } = result
  await finishWrite(context, {
    data: result,
    text: `Sends ${queued} events from ${from_sequence} to ${last} to ${webhook.url} again`,
  })
}

const EVENT_OPTIONS: Record<string, OptionDefinition> = {
  type: {
    short: 't',
    value: 'TYPE',
    isList: true,
    about: 'Only this type, such as task.completed',
  },
  project: { short: 'P', value: 'PROJECT', about: 'Only events of this project' },
  after: { value: 'SEQUENCE', about: 'Begin after this event; default: with the next one' },
}

/** Commands for events and webhooks. They need a key of an owner or admin. */
export const EVENT_COMMANDS: readonly CommandDefinition[] = [
  {
    name: 'events follow',
    summary: 'Print events as they happen',
    details: 'With --json each event is a line. Your role must be owner or admin.',
    options: EVENT_OPTIONS,
    run: follow,
  },
  {
    name: 'webhooks listen',
    summary: 'Send events to a program on this computer, as a webhook would',
    details:
      'Follows the event log and posts each event once, signed, to the address of your receiver. The server need not reach your computer. The secret is one for this computer, or DOCKET_WEBHOOK_SECRET.',
    args: [{ name: 'url', about: 'Such as http://localhost:3000/hook', isOptional: true }],
    options: { ...EVENT_OPTIONS, 'print-secret': { about: 'Print the secret, and end' } },
    run: listen,
  },
  {
    name: 'webhooks replay',
    summary: 'Send events of the log to a webhook again',
    args: [{ name: 'webhook', about: 'Id or URL; default: the only one', isOptional: true }],
    options: {
      from: { value: 'SEQUENCE', about: 'The first event' },
      to: { value: 'SEQUENCE', about: 'The last event; default: the newest' },
    },
    isWrite: true,
    run: replay,
  },
]
