import type { JobKind } from '#core/job.ts'
import type { EmailTemplate, Mailer } from '#core/mailer.ts'

const MINUTE_MS = 60 * 1000
/** For so long an email waits for a mail server that is down or refuses the sign-in. */
const MAX_AGE_MS = 24 * 60 * MINUTE_MS
/** Of the first attempts; all later ones have the last delay. Shorter than any link is valid. */
const RETRY_DELAYS_MS = [1, 2, 5, 10].map((minutes) => minutes * MINUTE_MS)
const MAX_RETRY_DELAY_MS = 15 * MINUTE_MS

/**
 * Creates the kind of job that sends emails of a template. If the process dies between the server's
 * acceptance and the end of the job, the email is sent again under the same Message-ID.
 */
export const createEmailJob = (
  mail: Mailer,
  baseUrl: string,
  { kind, maxRunning, compose, onEnd }: EmailTemplate,
): JobKind => ({
  name: kind,
  isBounded: true,
  maxRunning,
  maxAgeMs: MAX_AGE_MS,
  retryDelayMs: (attempts) => RETRY_DELAYS_MS[attempts - 1] ?? MAX_RETRY_DELAY_MS,
  async run({ job, write }) {
    const email = await write((tx) => compose(tx, job))
    if (email) await mail.send({ ...email, id: `${job.id}@${new URL(baseUrl).hostname}` })
    return 'done'
  },
  ...(onEnd && { onEnd }),
})
