import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { newId } from '#lib/id.ts'
import { newWebhookSecret } from '#lib/token.ts'
import { BASE_ENV } from '#test/cli/run-cli.ts'
import { createTempDir } from '#test/support/system/temp-dir.ts'
import { createSignedHeaders } from '#webhooks/attempts.ts'

/** The part of an event that the receiver reads. */
export interface ReceiverEvent {
  id: string
  type: string
  sequence: number | null
  actor: { name: string }
  data: { id?: string; title?: string }
}

/** Creates an event that changes the title of a task. */
export const createReceiverEvent = (
  task: string,
  sequence: number,
  title: string,
): ReceiverEvent => ({
  id: newId('evt'),
  type: 'task.updated',
  sequence,
  actor: { name: 'Ada' },
  data: { id: task, title },
})

/** Prepares the example receiver with its own file and secret, to start, stop and post to. */
export function createReceiver() {
  const secret = newWebhookSecret()
  const file = join(createTempDir(), 'receiver.db')
  let printed = ''
  let url = ''

  /** Starts it and returns a function that ends it by a signal and returns the exit code. */
  async function start() {
    const env = { DOCKET_WEBHOOK_SECRET: secret, PORT: '0', RECEIVER_FILE: file }
    const child = spawn(process.execPath, ['examples/receiver/main.ts'], {
      env: { ...BASE_ENV, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(child, 'close')
    child.stdout.setEncoding('utf8')
    const listening = new Promise<void>((resolve, reject) => {
      child.stdout.on('data', (text: string) => {
        printed += text
        printed = printed.replace(/^Listening on (.*)\n/m, (_, address: string) => {
          url = address
          resolve()
          return ''
        })
      })
      child.once('close', () => reject(new Error('The receiver ended')))
    })
    await listening
    return async (signal: NodeJS.Signals): Promise<number | null> => {
      child.kill(signal)
      const [code] = await ended
      return code
    }
  }

  /** Posts an event as Docket does, and returns the status. */
  async function post(event: ReceiverEvent): Promise<number> {
    const body = JSON.stringify(event)
    const { id: event_id, type: event_type } = event
    const attempt = { delivery_id: newId('dlv'), event_id, event_type, attempt: 1, at: Date.now() }
    const headers = createSignedHeaders({ ...attempt, body, secret, previous_secret: null })
    const reply = await fetch(url, { method: 'POST', headers, body })
    return reply.status
  }

  /** Stores an event as confirmed but not handled, as a program that was killed would leave it. */
  function insertConfirmed({ id, sequence, ...rest }: ReceiverEvent): void {
    const db = new DatabaseSync(file)
    const insert = db.prepare('INSERT INTO events (id, sequence, body) VALUES (?, ?, ?)')
    insert.run(id, sequence, JSON.stringify({ id, sequence, ...rest }))
    db.close()
  }

  /** The newest title of a record, as the stopped program has stored it. */
  function titleOf(record: string): unknown {
    const db = new DatabaseSync(file)
    const row = db.prepare('SELECT json FROM records WHERE id = ?').get(record)
    db.close()
    return row && JSON.parse(String(row.json)).title
  }

  return {
    secret,
    start,
    post,
    insertConfirmed,
    titleOf,
    /** The address, once it has started. */
    url: () => url,
    printed: () => printed.split('\n').slice(0, -1),
  }
}
