import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Attempt, signedHeaders } from '#delivery/sign.ts'
import { newId } from '#lib/id.ts'
import { newWebhookSecret } from '#lib/token.ts'
import { emptyDir } from '#test/support/dir.ts'

/** An envelope with as much as a receiver looks at. */
export interface Sent {
  id: string
  type: string
  sequence: number | null
  actor: { name: string }
  data: { id?: string; title?: string }
}

/** An event about a task: `title` is what it is called from then on. */
export const eventOf = (task: string, sequence: number, title: string): Sent => ({
  id: newId('evt'),
  type: 'task.updated',
  sequence,
  actor: { name: 'Ada' },
  data: { id: task, title },
})

/** What of a post is otherwise than Docket would have it. */
export interface Spoilt {
  signed?: Partial<Attempt>
  headers?: Record<string, string>
  body?: string
}

/** The example's program with a file and a secret of its own, to start, end and post to. */
export function newReceiver() {
  const secret = newWebhookSecret()
  const file = join(emptyDir(), 'receiver.db')
  let printed = ''
  let url = ''

  /** Gives what ends it: by a signal, with the exit code once all that was printed has been read. */
  async function start() {
    const env = { DOCKET_WEBHOOK_SECRET: secret, PORT: '0', RECEIVER_FILE: file }
    const child = spawn(process.execPath, ['examples/receiver/main.ts'], {
      env: { PATH: process.env.PATH, ...env },
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

  /** Posts an event as Docket does, but for what is spoilt; gives the status. */
  async function post(event: Sent, spoilt: Spoilt = {}): Promise<number> {
    const text = JSON.stringify(event)
    const { id: event_id, type: event_type } = event
    const attempt = { delivery_id: newId('dlv'), event_id, event_type, attempt: 1, at: Date.now() }
    const secrets = { secret, previous_secret: null }
    const signed = signedHeaders({ ...attempt, body: text, ...secrets, ...spoilt.signed })
    const { body = text, headers } = spoilt
    const reply = await fetch(url, { method: 'POST', headers: { ...signed, ...headers }, body })
    return reply.status
  }

  /** Puts an event where the program, killed at once, would have left it: confirmed, not handled. */
  function leave({ id, sequence, ...rest }: Sent): void {
    const db = new DatabaseSync(file)
    const insert = db.prepare('INSERT INTO events (id, sequence, body) VALUES (?, ?, ?)')
    insert.run(id, sequence, JSON.stringify({ id, sequence, ...rest }))
    db.close()
  }

  /** What the ended program knows of a record: its newest title. */
  function titleOf(record: string): unknown {
    const db = new DatabaseSync(file)
    const row = db.prepare('SELECT json FROM records WHERE id = ?').get(record)
    db.close()
    return row && JSON.parse(String(row.json)).title
  }

  return { start, post, leave, titleOf, printed: () => printed.split('\n').slice(0, -1) }
}
