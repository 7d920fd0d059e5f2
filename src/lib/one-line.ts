const WHITE_SPACE_AND_CONTROLS = /[\s\p{Cc}]+/gu
/** Unicode has a line break, U+0085, that `\s` leaves out. */
const WHITE_SPACE = /[\s\u0085]/

/**
 * A text as one line that the API accepts: white space of every kind becomes one blank, and control
 * characters and halves of characters go.
 */
export const toOneLine = (text: string): string =>
  text
    .toWellFormed()
    .replace(WHITE_SPACE_AND_CONTROLS, (run) => (WHITE_SPACE.test(run) ? ' ' : ''))
    .trim()
