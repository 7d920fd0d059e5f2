import { once } from 'node:events'
import { SMTPServer } from 'smtp-server'

/** An email as the server received it: its envelope and full text. */
export interface ReceivedEmail {
  from: string
  to: string[]
  text: string
}

interface SmtpServerOptions {
  password?: string
  /** A free port by default. */
  port?: number
}

const createRefusal = (responseCode: number, message: string) =>
  Object.assign(new Error(message), { responseCode })

/** Starts a real SMTP server on the loopback interface. With a password it requires a sign-in. */
export async function startSmtpServer({ password, port: fixedPort = 0 }: SmtpServerOptions = {}) {
  let acceptedPassword = password
  let refusesConnections = false
  const rejectedRecipients = new Set<string>()
  const inboxes = { security: createInbox(), other: createInbox() }
  let rejections = 0
  const attempts = { auth: 0 }
  const recipients: string[] = []
  const server = new SMTPServer({
    disabledCommands: password === undefined ? ['STARTTLS', 'AUTH'] : ['STARTTLS'],
    allowInsecureAuth: true,
    closeTimeout: 100,
    onConnect(_, done) {
      if (refusesConnections) return done(createRefusal(554, 'No service for you'))
      done()
    },
    onAuth(credentials, _, done) {
      attempts.auth += 1
      if (credentials.password !== acceptedPassword) {
        return done(createRefusal(535, '5.7.8 Authentication credentials invalid'))
      }
      done(null, { user: 'docket' })
    },
    onRcptTo({ address }, _, done) {
      recipients.push(address)
      if (rejectedRecipients.has(address)) {
        return done(createRefusal(550, `5.1.1 <${address}> unknown user`))
      }
      done()
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        rejections -= 1
        if (rejections >= 0) return done(new Error('Not now'))
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
        const to = envelope.rcptTo.map(({ address }) => address)
        const mail = { from, to, text: decoded(Buffer.concat(chunks).toString()) }
        const isNotice = mail.text.includes('Subject: The security of your Docket account')
        inboxes[isNotice ? 'security' : 'other'].put(mail)
        done()
      })
    },
  })
  const listening = server.listen(fixedPort, '127.0.0.1')
  await once(listening, 'listening')
  const address = listening.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `smtp://${password === undefined ? '' : `docket:${password}@`}127.0.0.1:${port}`,
    port,
    /** How often somebody has tried to sign in. */
    attempts,
    /** Every recipient that a client has named, also those of rejected emails. */
    recipients,
    /** Sets the password that is accepted from now on. */
    changePassword(changed: string): void {
      acceptedPassword = changed
    },
    /** Whether each connection is refused by its greeting. */
    refuseConnections(refuses: boolean): void {
      refusesConnections = refuses
    },
    /** Rejects an address for good. */
    rejectRecipient(address: string): void {
      rejectedRecipients.add(address)
    },
    /** Rejects this many of the next emails. */
    refuse(many: number): void {
      rejections = many
    },
    /** Waits for the next email that tells of no change of a sign-in method. */
    next: () => inboxes.other.next(),
    /** Waits for the next email that tells of a change of a sign-in method. */
    nextNotice: () => inboxes.security.next(),
    /** The number of emails that `next` has not returned yet. */
    count: () => inboxes.other.count(),
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

function createInbox() {
  const received: ReceivedEmail[] = []
  const waiting: ((mail: ReceivedEmail) => void)[] = []
  return {
    put(mail: ReceivedEmail): void {
      const resolve = waiting.shift()
      if (resolve) resolve(mail)
      else received.push(mail)
    },
    next: () =>
      new Promise<ReceivedEmail>((resolve) => {
        const mail = received.shift()
        if (mail) resolve(mail)
        else waiting.push(resolve)
      }),
    count: () => received.length,
  }
}

/** Undoes the parts of quoted-printable that matter here: folded lines and escaped `=`. */
const decoded = (text: string) =>
  text.replaceAll('=\r\n', '').replaceAll('=3D', '=').replaceAll('\r\n', '\n')
