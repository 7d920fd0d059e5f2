/** Makes a text valid as a single line: no control characters, and at most `most` code points. */
export function toSingleLine(text: string, most: number): string {
  const spaced = text.replace(/[\t-\r\u0085\u2028\u2029]+/g, ' ')
  return cut(replaceControlCharacters(spaced).trim(), most, '…')
}

/** Makes a text valid as multiline text, otherwise unchanged; '' if it is only white space. */
export function toMultilineText(text: string, most: number): string {
  return text.trim() === ''
    ? ''
    : cut(replaceControlCharacters(text), most, '\n\n… (the rest is in the commit)')
}

/** Replaces control characters by U+FFFD: if removed, the words around them would be joined. */
const replaceControlCharacters = (text: string) => text.replace(/(?![\t\n\r])\p{Cc}/gu, '\ufffd')

/** Docket counts code points: cutting by UTF-16 units could split one, and would cut too early. */
function cut(text: string, most: number, end: string): string {
  if (text.length <= most) return text
  const points = [...text.slice(0, 2 * most + 2)]
  if (points.length <= most) return text
  return points.slice(0, most - end.length).join('') + end
}
