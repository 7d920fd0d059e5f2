import { createTransport } from 'nodemailer'
import type { MailSettings } from './smtp.ts'

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
