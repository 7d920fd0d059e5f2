/** A mail as it is written: plain text, to one person. */
export interface Letter {
  to: string
  subject: string
  text: string
}

/** The way out for mails. */
export interface Mail {
  /**
   * Hands a letter over and returns at once: it goes by itself, and is tried again if need be. To be
   * called after the commit of what it tells of. What it holds is never logged.
   */
  send(letter: Letter): void
}
