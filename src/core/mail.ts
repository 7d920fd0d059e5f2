/** A mail as it is written: plain text, to one person. */
export interface Letter {
  to: string
  subject: string
  text: string
}

/** One that comes by itself, and can be ended. */
export interface Notice extends Letter {
  html: string
  /** Its Message-ID, the same however often it is sent. */
  id: string
  /** The address at which a POST ends such mails (RFC 8058). */
  unsubscribe: string
}

/** The way out for mails. */
export interface Mail {
  /**
   * Hands a letter over and returns at once: it goes by itself, and is tried again if need be. To be
   * called after the commit of what it tells of. What it holds is never logged.
   */
  send(letter: Letter): void
  /**
   * Sends one now, once, and waits until the server has taken it; throws what it answers. For who keeps
   * letters itself, and tries again.
   */
  post(letter: Notice): Promise<void>
}
