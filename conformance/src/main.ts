#!/usr/bin/env node
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { parseArgs } from 'node:util'
import { CannotRunError, type CheckResult, runChecks } from './check.ts'
import { RECEIVER_CHECKS, STANDARD_SCHEME } from './receiver/checks.ts'
import { createReceiverSubject } from './receiver/delivery.ts'
import { formatJunit, formatReport } from './report.ts'
import { createServerSubject, findProject } from './server/client.ts'
import { DELIVERY_CHECKS } from './server/delivery-checks.ts'
import { LIST_CHECKS } from './server/list-checks.ts'
import { RECORD_CHECKS } from './server/record-checks.ts'
import { REPLY_CHECKS, REQUEST_CHECKS } from './server/request-checks.ts'
import { openWebhookInbox } from './server/webhook-inbox.ts'
import { WRITE_CHECKS } from './server/write-checks.ts'

const USAGE = `Usage:
  docket-conformance receiver <url> --secret <secret> [--scheme service]
  docket-conformance server <url> --key <API key> [--project <id>]
      [--second-key <API key>] [--read-only-key <API key>] [--receive-at http://127.0.0.1:<port>]
Both take --junit <file> and --json. README.md describes the checks, the options and the exit codes.
`

const EXIT_FAILED = 1
const EXIT_USAGE = 2
const EXIT_CANNOT_RUN = 3

class WrongUsageError extends Error {}

async function main(): Promise<number> {
  const { positionals, values } = readArguments()
  if (values.help) {
    process.stdout.write(USAGE)
    return 0
  }
  const [command, address, ...rest] = positionals
  if (!address || rest.length > 0) throw new WrongUsageError('Name a command and one URL.')
  const url = parseUrl(address)
  const check = Object.hasOwn(COMMANDS, command ?? '') ? COMMANDS[command ?? ''] : undefined
  if (!check) throw new WrongUsageError(`There is no command ${command}.`)
  const results = await check(url, values)
  if (values.junit !== undefined) writeFileSync(values.junit, formatJunit(results))
  process.stdout.write(
    values.json ? `${JSON.stringify(results, null, 2)}\n` : formatReport(results),
  )
  return results.some(({ outcome }) => outcome === 'failed') ? EXIT_FAILED : 0
}

type KitOptions = ReturnType<typeof readArguments>['values']

const COMMANDS: Record<string, (url: URL, options: KitOptions) => Promise<CheckResult[]>> = {
  receiver: checkReceiver,
  server: checkServer,
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        secret: { type: 'string', default: process.env.DOCKET_WEBHOOK_SECRET ?? '' },
        scheme: { type: 'string', default: 'standard' },
        key: { type: 'string', default: process.env.DOCKET_API_KEY ?? '' },
        'second-key': { type: 'string', default: process.env.DOCKET_SECOND_API_KEY ?? '' },
        'read-only-key': { type: 'string', default: process.env.DOCKET_READ_ONLY_API_KEY ?? '' },
        'receive-at': { type: 'string' },
        project: { type: 'string' },
        junit: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    throw new WrongUsageError(error instanceof Error ? error.message : String(error))
  }
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol)) return url
  throw new WrongUsageError(`Not an http or https URL: ${text}`)
}

/** Fails at once if nothing listens there, instead of once for each check. */
async function assertReachable({ hostname, port, protocol }: URL): Promise<void> {
  const host = hostname.replace(/^\[|\]$/g, '')
  const socket = connect(Number(port) || (protocol === 'https:' ? 443 : 80), host)
  await once(socket, 'connect')
  socket.destroy()
}

async function checkReceiver(url: URL, { secret, scheme }: KitOptions): Promise<CheckResult[]> {
  if (secret === '') throw new WrongUsageError('--secret is missing.')
  if (scheme !== 'standard' && scheme !== 'service') {
    throw new WrongUsageError('--scheme is standard (the default) or service.')
  }
  await assertReachable(url)
  const options = new Set(scheme === 'standard' ? [STANDARD_SCHEME] : [])
  return runChecks(RECEIVER_CHECKS, createReceiverSubject(url, secret, options))
}

async function checkServer(url: URL, values: KitOptions): Promise<CheckResult[]> {
  const { key, 'second-key': secondKey, 'read-only-key': readOnlyKey } = values
  if (key === '') throw new WrongUsageError('--key is missing.')
  const receiveAt = values['receive-at'] === undefined ? undefined : parseUrl(values['receive-at'])
  if (receiveAt && !/^(127\.0\.0\.1|localhost)$/.test(receiveAt.hostname)) {
    throw new WrongUsageError('--receive-at is http://127.0.0.1:<port>.')
  }
  await assertReachable(url)
  const optional = ['second-key', 'read-only-key', 'receive-at'] as const
  const options = new Set(optional.filter((name) => values[name]).map((name) => `--${name}`))
  const subject = createServerSubject({ origin: url.origin, key, secondKey, readOnlyKey, options })
  subject.project = await findProject(subject, values.project)
  subject.inbox = receiveAt && (await openWebhookInbox(receiveAt))
  try {
    const groups = [...REQUEST_CHECKS, ...RECORD_CHECKS, ...LIST_CHECKS, ...WRITE_CHECKS]
    return await runChecks([...groups, ...DELIVERY_CHECKS, ...REPLY_CHECKS], subject)
  } finally {
    subject.inbox?.close()
    const left = await subject.deleteRecords()
    process.stderr.write(`${subject.replies.length} requests.\n`)
    if (left.length > 0) process.stderr.write(`Not deleted: ${left.join(', ')}\n`)
  }
}

try {
  process.exitCode = await main()
} catch (error) {
  const isUsage = error instanceof WrongUsageError
  // Such as a port that is in use, or a file that cannot be written.
  const isFromSystem = error instanceof Error && 'syscall' in error
  if (!isUsage && !isFromSystem && !(error instanceof CannotRunError)) throw error
  process.stderr.write(`${error.message}\n${isUsage ? USAGE : ''}`)
  process.exitCode = isUsage ? EXIT_USAGE : EXIT_CANNOT_RUN
}
