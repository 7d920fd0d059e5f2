/** White space of every kind: Unicode has a line break, U+0085, that `\s` leaves out. */
const WHITE_SPACE = /[\s\u0085]+/gu
const CONTROL_CHARACTERS = /(?![\s\u0085])\p{Cc}/gu

/**
 * A text as one line that the API accepts: white space of every kind becomes one blank, and control
 * characters and halves of characters go.
 */
export const toOneLine = (text: string): string =>
  text.toWellFormed().replace(CONTROL_CHARACTERS, '').replace(WHITE_SPACE, ' ').trim()
