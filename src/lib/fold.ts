/** Text as it is compared: NFC, then lower case of no particular language. */
export function fold(text: string): string {
  if (!NOT_ASCII.test(text)) return text.toLowerCase()
  return text.replace(LONG_MARKS, '$&\u034f').normalize('NFC').toLowerCase()
}

/** How many Unicode code points a text has; a surrogate without its partner counts as one. */
export function lengthOf(text: string): number {
  let length = text.length
  for (let at = 1; at < text.length; at += 1) {
    if (isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1))) length -= 1
  }
  return length
}

const NOT_ASCII = /\P{ASCII}/u

/**
 * Normalising sorts the marks on a letter in quadratic time: 65,536 of them took two seconds. No
 * language stacks thirty, so there a joiner is put between (Unicode's Stream-Safe Text, UAX 15).
 */
const LONG_MARKS = /\p{M}{30}(?=\p{M})/gu

const isHigh = (unit: number) => unit >= 0xd800 && unit <= 0xdbff
const isLow = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff
