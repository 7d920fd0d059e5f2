/** An email to one person. */
export interface Email {
  to: string
  subject: string
  text: string
  html?: string
  /** The URL for one-click unsubscribe by POST (RFC 8058). */
  unsubscribe?: string
}

/** Sends emails. Their content is never logged. */
export interface Mailer {
  /**
   * Sends an email once and waits until the server has accepted it. `id` is its Message-ID without
   * angle brackets, the same for every attempt. Throws a `JobError`, which is permanent if the server
   * has refused this recipient or this email for good.
   */
  send(email: Email & { id: string }): Promise<void>
}
