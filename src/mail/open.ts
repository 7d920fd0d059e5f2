import { setTimeout as pause } from 'node:timers/promises'
import { createTransport } from 'nodemailer'
import type { Letter, Mail } from '#core/mail.ts'
import { type Traces, UNTRACED } from '#core/traces.ts'

export interface MailSettings {
  /** `smtp://user:password@host:port`, or `smtps://`. */
  url: string
  /** Whom mails come from: `docket@example.com` or `Docket <docket@example.com>`. */
  from: string
}

/** Where what went wrong is told: never what a letter says, for it holds a link. */
interface Log {
  warn(about: object, message: string): void
}

export interface OpenMail extends Mail {
  /** Lets what is being sent come to its end, for a moment; what waits for another try is lost. */
  close(): Promise<void>
}

interface Sending {
  againAfterMs?: readonly number[]
  traces?: Traces
}

/** After a failure a letter waits so long, and is given up after the last. */
const AGAIN_AFTER_MS = [5_000, 60_000, 600_000]
/** More letters do not wait: a server that takes none must not fill the memory. */
const MOST_WAITING = 1_000
const CLOSING_MS = 5_000

/** Opens the way out for mails, over SMTP. */
export function openMail(
  settings: MailSettings,
  log: Log,
  { againAfterMs = AGAIN_AFTER_MS, traces = UNTRACED }: Sending = {},
): OpenMail {
  const transport = createTransport(
    {
      url: settings.url,
      pool: true,
      maxConnections: 2,
      ...{ connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 },
      ...{ disableFileAccess: true, disableUrlAccess: true },
    },
    { from: settings.from },
  )
  const closing = new AbortController()
  const underWay = new Set<Promise<void>>()

  const post = ({ to, subject, text }: Letter, more: object = {}) =>
    traces.after({ name: 'send a mail', isClient: true }, () =>
      // As an object it is one address, whatever is in it.
      transport.sendMail({ to: { name: '', address: to }, subject, text, ...more }),
    )

  async function deliver(letter: Letter): Promise<void> {
    for (const wait of [...againAfterMs, undefined]) {
      try {
        await post(letter)
        return
      } catch (error) {
        const { code, responseCode } = error as { code?: string; responseCode?: number }
        const last = wait === undefined || closing.signal.aborted
        log.warn({ code, responseCode, again: !last }, 'A mail could not be sent')
        if (last) return
        await pause(wait, undefined, { signal: closing.signal, ref: false }).catch(() => {})
        if (closing.signal.aborted) return
      }
    }
  }

  return {
    send(letter) {
      if (underWay.size >= MOST_WAITING) {
        log.warn({ waiting: underWay.size }, 'A mail is dropped: too many wait')
        return
      }
      const sending = deliver(letter).finally(() => underWay.delete(sending))
      underWay.add(sending)
    },
    async post({ id, html, unsubscribe, ...letter }) {
      await post(letter, {
        html,
        messageId: `<${id}>`,
        headers: {
          'List-Unsubscribe': { prepared: true, value: `<${unsubscribe}>` },
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          'Auto-Submitted': 'auto-generated',
        },
      })
    },
    async close() {
      closing.abort()
      await Promise.race([Promise.all(underWay), pause(CLOSING_MS, undefined, { ref: false })])
      transport.close()
    },
  }
}
