import { createTransport } from 'nodemailer'
import type { MailSettings } from './open.ts'

/** Greets the mail server, and signs in where the address has a name. Throws what it answers. */
export async function verifyMail({ url, from }: MailSettings): Promise<void> {
  const transport = createTransport(
    {
      url,
      ...{ connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 5_000 },
      ...{ disableFileAccess: true, disableUrlAccess: true },
    },
    { from },
  )
  await transport.verify().finally(() => transport.close())
}
