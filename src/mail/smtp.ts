import { setTimeout as pause } from 'node:timers/promises'
import { createTransport } from 'nodemailer'
import { JobError } from '#core/job.ts'
import { isDemoEmailAddress, type Mailer } from '#core/mailer.ts'
import type { MailSettings } from './mail-settings.ts'

/**
 * Connects to the mail server, and signs in if the URL has a user. Throws the error of the server.
 */
export async function verifyMail({ url, from }: MailSettings): Promise<void> {
  const transport = createTransport(
    {
      url,
      connectionTimeout: 5_000,
      greetingTimeout: 5_000,
      socketTimeout: 5_000,
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    { from },
  )
  await transport.verify().finally(() => transport.close())
}

interface SmtpMailer extends Mailer {
  /** Waits briefly for emails that are being sent. */
  close(): Promise<void>
}

/** The sum of `maxRunning` of all kinds of emails, so that none waits for another kind. */
const MAX_CONNECTIONS = 7
const CLOSE_TIMEOUT_MS = 5_000

/** Sends emails over SMTP. */
export function openMail(settings: MailSettings): SmtpMailer {
  const transport = createTransport(
    {
      url: settings.url,
      pool: true,
      maxConnections: MAX_CONNECTIONS,
      connectionTimeout: 10_000,
      greetingTimeout: 10_000,
      socketTimeout: 30_000,
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    { from: settings.from },
  )
  const pending = new Set<Promise<void>>()

  const sendOverSmtp: Mailer['send'] = async ({ to, id, unsubscribe, ...content }) => {
    try {
      await transport.sendMail({
        ...content,
        // An address object is a single address, whatever text it contains.
        to: { name: '', address: to },
        messageId: `<${id}>`,
        headers: {
          'Auto-Submitted': 'auto-generated',
          ...(unsubscribe !== undefined && {
            'List-Unsubscribe': { prepared: true, value: `<${unsubscribe}>` },
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          }),
        },
      })
    } catch (error) {
      throw toJobError(error)
    }
  }

  return {
    async send(email) {
      if (isDemoEmailAddress(email.to)) return
      const sending = sendOverSmtp(email)
      const ended = sending.then(
        () => {},
        () => {},
      )
      pending.add(ended)
      await sending.finally(() => pending.delete(ended))
    },
    async close() {
      await Promise.race([Promise.all(pending), pause(CLOSE_TIMEOUT_MS, undefined, { ref: false })])
      transport.close()
    },
  }
}

/** What Nodemailer adds to its errors. */
interface SmtpError {
  code?: string
  command?: string
  responseCode?: number
  response?: string
}

/** Steps of SMTP whose refusal concerns this email; that of any other step concerns all emails. */
const COMMANDS_OF_ONE_EMAIL: readonly (string | undefined)[] = ['RCPT TO', 'DATA']
/** The server demands a sign-in first, so the settings are wrong and not the email. */
const AUTHENTICATION_REQUIRED = 530

/**
 * Says in one sentence what the server answered, without email addresses. A 5xx for the recipient or
 * the content is permanent. A 5xx for the connection, the sign-in or the sender is not: an operator
 * can correct it.
 */
function toJobError(error: unknown): JobError {
  const { code = 'UNKNOWN', command, responseCode, response } = error as SmtpError
  const isRefused = responseCode === undefined ? code === 'EENVELOPE' : responseCode >= 500
  const isPermanent =
    isRefused &&
    responseCode !== AUTHENTICATION_REQUIRED &&
    (COMMANDS_OF_ONE_EMAIL.includes(command) || (code === 'EENVELOPE' && command === 'API'))
  const words = response?.split(/\s+/).map((word) => (word.includes('@') ? '…' : word))
  const answer = words?.join(' ')
  const message = answer
    ? `The mail server answered: ${answer}`
    : `The mail server could not be reached (${code}).`
  return new JobError(message, { isPermanent, details: { code, responseCode } })
}
