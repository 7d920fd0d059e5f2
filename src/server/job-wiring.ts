import { invitationEmail } from '#accounts/invitations/invitation-email.ts'
import { passwordResetEmail } from '#accounts/password-reset/password-reset-email.ts'
import { createProfileChangeJob } from '#accounts/profile/change-member-profile.ts'
import { confirmationEmail } from '#accounts/profile/confirm-email.ts'
import { securityEmail } from '#accounts/security-emails/security-email.ts'
import { createExportJob } from '#archive/export/export-jobs.ts'
import { sendFirstConfirmationLink } from '#auth/users/email-confirmation.ts'
import { operatorEmailTemplate } from '#backup/scheduled/operator-email.ts'
import type { JobKind } from '#core/job.ts'
import type { Mailer } from '#core/mailer.ts'
import type { Storage } from '#core/transaction.ts'
import type { Files } from '#files/files.ts'
import { createImportJob, createImportJobDeps } from '#importers/job/import-jobs.ts'
import { notificationEmailTemplate } from '#jobs/notification-email-template.ts'
import { createEmailJob } from '#jobs/queue/email-job.ts'

/** The kinds of jobs that send emails, most urgent first. */
export function createEmailJobs(
  mail: Mailer | undefined,
  baseUrl: string,
  operatorEmail?: string,
): JobKind[] {
  // Without a mail server, emails wait for a process that has one.
  if (!mail) return []
  const templates = [
    passwordResetEmail,
    confirmationEmail,
    securityEmail,
    invitationEmail,
    (url: string) => notificationEmailTemplate(url, sendFirstConfirmationLink),
  ]
  if (operatorEmail !== undefined) templates.push(operatorEmailTemplate(operatorEmail))
  return templates.map((template) => createEmailJob(mail, baseUrl, template(baseUrl)))
}

/** The kinds of jobs that finish what people did with their accounts. */
export const createAccountJobs = (storage: Storage): JobKind[] => [createProfileChangeJob(storage)]

/** What imports and exports need. */
interface TransferJobDeps {
  storage: Storage
  files: Files
  log: { error(about: object, message: string): void }
  /** The most bytes of the downloadable archives of a workspace. */
  maxExportBytes: number
}

/** The kinds of jobs that import and export. */
export const createTransferJobs = ({
  storage,
  files,
  log,
  maxExportBytes: maxBytes,
}: TransferJobDeps): JobKind[] => [
  createImportJob(createImportJobDeps({ storage, files })),
  createExportJob({ storage, files, log, maxBytes }),
]
