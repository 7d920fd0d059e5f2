import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { enqueueJob } from '#db/jobs/enqueue-job.ts'
import { openJobByKey } from '#db/jobs/job-statements.ts'
import {
  assignNotificationsToEmail,
  usersWithDueEmails,
} from '#db/notifications/notification-emails.ts'
import { timestampOf } from '#lib/clock.ts'
import { newId } from '#lib/id.ts'

/** Notifications that follow within this time go with the same email. */
const GATHER_MS = 3 * 60 * 1000
const MAX_EMAILS = 20

const KIND = 'notification_email'

interface DuePerson {
  workspace_id: string
  user_id: string
}

/**
 * Enqueues the emails about notifications that are due. A person has one waiting email for each
 * workspace: while the mail server is down, further notifications join it.
 */
export const gatherNotificationEmails = (storage: Storage) => async (): Promise<boolean> => {
  const batch = { now: timestampOf(storage.clock.now()), limit: MAX_EMAILS }
  const people = await storage.read(ANONYMOUS_ACTOR, (tx) => tx.all(usersWithDueEmails, batch))
  for (const person of people) await gatherEmail(storage, person)
  return people.length === MAX_EMAILS
}

/** Creates the email of a person, unless another process has created it. */
async function gatherEmail(storage: Storage, { workspace_id, user_id }: DuePerson): Promise<void> {
  await storage.write({ ...ANONYMOUS_ACTOR, workspace_id }, async (tx) => {
    const open = await tx.one(openJobByKey, { kind: KIND, key: user_id })
    // It may have read its notifications already.
    if (open?.status === 'running') return
    const id = open?.id ?? newId('job', tx.nowMs)
    const until = timestampOf(tx.nowMs + GATHER_MS)
    if ((await tx.run(assignNotificationsToEmail, { user_id, email_job_id: id, until })) === 0)
      return
    if (!open) await enqueueJob(tx, { id, kind: KIND, key: user_id, payload: { user_id } })
  })
}
