/** One line that Docket takes: no control characters, white space as spaces, at most `most` long. */
export function line(text: string, most: number): string {
  const spaced = text.replace(/[\t-\r\u0085\u2028\u2029]+/g, ' ')
  return cut(marked(spaced).trim(), most, '…')
}

/** Several lines that Docket takes, otherwise as they come; '' where there is nothing to read. */
export function lines(text: string, most: number): string {
  return text.trim() === '' ? '' : cut(marked(text), most, '\n\n… (the rest is in the commit)')
}

/** A control character becomes U+FFFD: left out unseen, it would join what it parted. */
const marked = (text: string) => text.replace(/(?![\t\n\r])\p{Cc}/gu, '\ufffd')

/** Docket counts code points: a cut by UTF-16 units could halve one and would come too early. */
function cut(text: string, most: number, end: string): string {
  if (text.length <= most) return text
  const points = [...text.slice(0, 2 * most + 2)]
  if (points.length <= most) return text
  return points.slice(0, most - end.length).join('') + end
}
