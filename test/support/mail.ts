import { once } from 'node:events'
import { SMTPServer } from 'smtp-server'

/** A mail as a server has taken it: the envelope, and all of its text. */
export interface Taken {
  from: string
  to: string[]
  text: string
}

/** A real SMTP server on the loopback, for one test. */
export async function mailServer() {
  const taken: Taken[] = []
  const waiting: ((mail: Taken) => void)[] = []
  let refusing = 0
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    closeTimeout: 100,
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        refusing -= 1
        if (refusing >= 0) return done(new Error('Not now'))
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
        const to = envelope.rcptTo.map(({ address }) => address)
        const mail = { from, to, text: decoded(Buffer.concat(chunks).toString()) }
        const next = waiting.shift()
        if (next) next(mail)
        else taken.push(mail)
        done()
      })
    },
  })
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const address = listening.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `smtp://127.0.0.1:${port}`,
    /** Refuses so many letters from now on. */
    refuse(many: number): void {
      refusing = many
    },
    /** The next letter, as soon as it is there. */
    next: () =>
      new Promise<Taken>((resolve) => {
        const mail = taken.shift()
        if (mail) resolve(mail)
        else waiting.push(resolve)
      }),
    /** How many are there that nobody has asked for. */
    count: () => taken.length,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

/** Long lines come folded and with `=` escaped. */
const decoded = (text: string) =>
  text.replaceAll('=\r\n', '').replaceAll('=3D', '=').replaceAll('\r\n', '\n')
