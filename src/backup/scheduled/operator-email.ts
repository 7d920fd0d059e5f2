import type { EmailTemplate } from '#core/email-template.ts'

/** The email to the operators about backups that fail, and about the first that succeeds again. */
export const operatorEmailTemplate =
  (to: string) =>
  (baseUrl: string): EmailTemplate => ({
    kind: 'operator_email',
    maxRunning: 1,
    async compose(_, { payload }) {
      const { event, since = '', at = '', place = '', reason = '', last_success: last } = payload
      const failed = event === 'failed'
      const paragraphs = failed
        ? [
            `The scheduled backup of Docket at ${baseUrl} has failed.`,
            `Reason: ${reason}`,
            `When: ${at}. Target: ${place}.`,
            last
              ? `The last successful backup ended at ${last}.`
              : 'There is no successful backup yet.',
            'Docket tries again within the hour. Run "docket doctor" on the server to see whether it works. You get another email when it does.',
          ]
        : [
            `The scheduled backup of Docket at ${baseUrl} works again.`,
            `A backup was made and checked at ${at}, in ${place}. Backups had failed since ${since}.`,
          ]
      return {
        to,
        subject: failed ? 'Docket: the backup has failed' : 'Docket: the backup works again',
        text: paragraphs.join('\n\n'),
      }
    },
  })
